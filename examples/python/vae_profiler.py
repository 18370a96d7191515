"""The autoencoder of vae_working.py under the profiler: one epoch, a few steps of it as a trace, and the time of a step.

    python examples/python/vae_profiler.py                    # every picture is unpacked when it is asked for
    taffrail profile analyze …/profiles/….pt.trace.json.gz    # says what that costs
    python examples/python/vae_profiler.py --tensors          # the cure: unpacked once, kept as one tensor
"""

import argparse
import io
import time

import taffrail
import torch
from digits import SIDE, digits
from PIL import Image
from vae_working import Decoder, Encoder, Vae, loss_of


class Packed(torch.utils.data.Dataset):
    """Pictures as files hold them: each is unpacked when it is asked for."""

    def __init__(self, pictures: torch.Tensor) -> None:
        self.files = []
        for picture in pictures:
            file = io.BytesIO()
            Image.fromarray((picture.reshape(SIDE, SIDE) * 255).byte().numpy()).save(file, "PNG")
            self.files.append(file.getvalue())

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[torch.Tensor]:
        picture = Image.open(io.BytesIO(self.files[index]))
        return (torch.frombuffer(bytearray(picture.tobytes()), dtype=torch.uint8).float() / 255,)


class Kept:
    """The same pictures as batches of one tensor."""

    def __init__(self, packed: Packed, batch_size: int) -> None:
        self.pictures = torch.stack([picture for (picture,) in packed])
        self.batch_size = batch_size

    def __iter__(self):
        return iter([(batch,) for batch in self.pictures[torch.randperm(len(self.pictures))].split(self.batch_size)])


def train(epochs: int = 1, tensors: bool = False, batch_size: int = 100, seed: int = 0) -> tuple[float, list[str]]:
    """The mean milliseconds of a step, and the traces."""
    torch.manual_seed(seed)
    packed = Packed(digits(2000, seed)[0])
    loader = Kept(packed, batch_size) if tensors else torch.utils.data.DataLoader(packed, batch_size=batch_size, shuffle=True)
    model = Vae(Encoder(SIDE * SIDE, 128, 8), Decoder(8, 128, SIDE * SIDE))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    steps, begin = 0, time.perf_counter()
    with taffrail.init(project="digits", name="vae-profiler", config={"epochs": epochs, "tensors": tensors}) as run:
        with taffrail.trace(run=run, wait=2, warmup=1, active=5) as tracer:
            for _ in range(epochs):
                for (x,) in loader:
                    optimizer.zero_grad()
                    made, mean, log_variance = model(x)
                    loss = sum(loss_of(x, made, mean, log_variance))
                    loss.backward()
                    optimizer.step()
                    run.log({"train/loss": loss.item() / len(x)}, step=steps)
                    steps += 1
                    tracer.step()
        mean_ms = (time.perf_counter() - begin) / steps * 1e3
        run.summary["step_ms"] = mean_ms
    print(f"torch {torch.__version__}, taffrail {taffrail.__version__}: {mean_ms:.2f} ms a step")
    print(tracer.summary())
    return mean_ms, tracer.files


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--tensors", action="store_true", help="keep the pictures as one tensor")
    chosen = parser.parse_args()
    train(chosen.epochs, chosen.tensors)
