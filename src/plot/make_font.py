"""Draws the letters of font.bin: make_font.py REGULAR.ttf BOLD.ttf OUT (needs Pillow; DejaVu Sans 2.37 made the one in the repository).

Numbers are little-endian. Head: "TFN1", faces (u32). Each face: letters (u32), then for each, rising by letter: letter u32, offset of its
pixels u32 (from the begin of the file), left i8, top i8, width u8, height u8, advance in 64ths of a pixel u16, 0 u16. Pixels are 4 bits of
cover each, row by row without gaps, two a byte, the first in the low half.
"""

import struct
import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

LETTERS = sorted({*range(0x20, 0x7F), *range(0xA1, 0x100), *map(ord, "–—‘’“”…·×µ±→←↑↓≤≥∞√Δαβγδεθλμπρσφω★"), 0xFFFD})


def draw(font, letter):
    text = chr(letter)
    left, top, right, bottom = font.getbbox(text, anchor="ls")
    width, height = max(0, right - left), max(0, bottom - top)
    image = Image.new("L", (max(1, width), max(1, height)), 0)
    ImageDraw.Draw(image).text((-left, -top), text, fill=255, font=font, anchor="ls")
    cover = [(value * 15 + 127) // 255 for value in image.tobytes()] if width and height else []
    cover += [0] * (len(cover) % 2)
    pixels = bytes(low | high << 4 for low, high in zip(cover[::2], cover[1::2]))
    return pixels, left, -top, width, height, round(font.getlength(text) * 64)


def main():
    regular, bold, out = sys.argv[1:4]
    faces = [ImageFont.truetype(regular, 22), ImageFont.truetype(bold, 27)]
    size = 8 + sum(4 + 16 * len(LETTERS) for _ in faces)
    head, pixels = struct.pack("<4sI", b"TFN1", len(faces)), b""
    for font in faces:
        head += struct.pack("<I", len(LETTERS))
        for letter in LETTERS:
            cover, left, top, width, height, advance = draw(font, letter)
            head += struct.pack("<IIbbBBHH", letter, size + len(pixels), left, top, width, height, advance, 0)
            pixels += cover
    Path(out).write_bytes(head + pixels)


if __name__ == "__main__":
    main()
