"""The autoencoder of vae_working.py under a tracer: three steps one by one, zones and torch's events in one file, then where the time went.

    python examples/python/vae_profile.py [--steps 20] [--to traces]
    taffrail profile analyze traces/*.pt.trace.json.gz
"""

import argparse

import taffrail
import torch
from digits import SIDE, digits
from vae_working import Decoder, Encoder, Vae, loss_of


def train(steps: int = 20, to: str = "traces", batch_size: int = 100) -> list[str]:
    """The files of the traces."""
    torch.manual_seed(0)
    pictures, _ = digits(batch_size * 4, 0)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(pictures), batch_size=batch_size, shuffle=True)
    model = Vae(Encoder(SIDE * SIDE, 128, 8), Decoder(8, 128, SIDE * SIDE))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    plan = taffrail.schedule(skip_first=2, wait=1, warmup=1, active=3, repeat=1)
    batches = iter(loader)
    with taffrail.init(project="digits", name="vae-profile") as run, taffrail.Tracer(to, schedule=plan) as tracer:
        for step in taffrail.progress(steps, "train"):
            with taffrail.zone("load"):
                batch = next(batches, None)
                if batch is None:
                    batches = iter(loader)
                    batch = next(batches)
            optimizer.zero_grad()
            with taffrail.zone("forward"):
                reconstruction, divergence = loss_of(batch[0], *model(batch[0]))
            with taffrail.zone("backward"):
                (reconstruction + divergence).backward()
            with taffrail.zone("optimizer"):
                optimizer.step()
            run.log({"train/loss": (reconstruction + divergence).item() / batch_size}, step=step)
            tracer.step()
    return tracer.paths


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--to", default="traces")
    chosen = parser.parse_args()
    for path in train(chosen.steps, chosen.to):
        print(path)
