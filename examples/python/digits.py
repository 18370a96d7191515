"""Pictures of digits, made here and nowhere downloaded: seven segments, moved, blurred and noisy."""

import torch

# Which of the segments top, top left, top right, middle, bottom left, bottom right, bottom a digit has.
SEGMENTS = ["1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010", "1111111", "1111011"]
SIDE = 16


def glyph(digit: int) -> torch.Tensor:
    picture = torch.zeros(SIDE, SIDE)
    lines = [(2, 2, 4, 12), (2, 8, 4, 6), (2, 8, 10, 12), (7, 9, 4, 12), (8, 14, 4, 6), (8, 14, 10, 12), (12, 14, 4, 12)]
    lines[0] = (2, 4, 4, 12)
    for on, (top, bottom, left, right) in zip(SEGMENTS[digit], lines, strict=True):
        if on == "1":
            picture[top:bottom, left:right] = 1
    return picture


def digits(count: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """(pictures [count, SIDE * SIDE] in 0…1, labels [count])."""
    random = torch.Generator().manual_seed(seed)
    glyphs = torch.stack([glyph(digit) for digit in range(10)])
    labels = torch.randint(0, 10, (count,), generator=random)
    shifts = torch.randint(-1, 2, (count, 2), generator=random)
    pictures = torch.stack([glyphs[label].roll((int(shift[0]), int(shift[1])), (0, 1)) for label, shift in zip(labels, shifts, strict=True)])
    noisy = pictures * 0.9 + 0.05 + 0.05 * torch.randn(pictures.shape, generator=random)
    return noisy.clamp(0, 1).reshape(count, -1), labels
