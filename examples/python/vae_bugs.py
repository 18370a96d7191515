"""The autoencoder of vae_working.py with four mistakes in it: one of the device, one of a shape, one of the mathematics, one of the training.
docs/python/debugging.md finds them; when all are gone, the loss falls below 92 in five epochs and three pictures appear.

    python examples/python/vae_bugs.py
"""

import argparse

import taffrail
import torch
from digits import SIDE, digits
from PIL import Image
from torch import nn


class Encoder(nn.Module):
    def __init__(self, inputs: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(inputs, hidden)
        self.mean = nn.Linear(hidden, latent)
        self.log_variance = nn.Linear(hidden, latent)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        h = torch.relu(self.hidden(x))
        return self.mean(h), self.log_variance(h)


class Decoder(nn.Module):
    def __init__(self, latent: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(latent, hidden)
        self.output = nn.Linear(hidden, outputs)

    def forward(self, z: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.output(torch.relu(self.hidden(z))))


class Vae(nn.Module):
    def __init__(self, encoder: Encoder, decoder: Decoder) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        mean, log_variance = self.encoder(x)
        z = mean + torch.exp(log_variance) * torch.randn(mean.shape)
        return self.decoder(z), mean, log_variance


def loss_of(x: torch.Tensor, made: torch.Tensor, mean: torch.Tensor, log_variance: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    reconstruction = nn.functional.binary_cross_entropy(made, x, reduction="sum")
    divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
    return reconstruction, divergence


def sheet(pictures: torch.Tensor) -> torch.Tensor:
    """64 pictures as one."""
    return pictures[:64].reshape(8, 8, SIDE, SIDE).permute(0, 2, 1, 3).reshape(8 * SIDE, 8 * SIDE)


def save(pictures: torch.Tensor, path: str) -> None:
    Image.fromarray((sheet(pictures) * 255).byte().numpy()).save(path)


def train(epochs: int = 5, latent: int = 8, hidden: int = 128, batch_size: int = 100, lr: float = 1e-3, seed: int = 0) -> float:
    """The mean loss of a picture in the last epoch."""
    torch.manual_seed(seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pictures, _ = digits(2000, seed)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(pictures), batch_size=batch_size, shuffle=True)
    model = Vae(Encoder(SIDE * SIDE, hidden, latent), Decoder(hidden, latent, SIDE * SIDE)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    mean_loss = float("nan")
    with taffrail.init(project="digits", name="vae-bugs", config={"epochs": epochs, "latent": latent, "hidden": hidden, "batch_size": batch_size, "lr": lr}) as run, \
            taffrail.watch(model, run=run, log_freq=20), taffrail.guard(nan="mark"):
        taffrail.log_graph(model, pictures[:2].to(device), run=run)
        step = 0
        for epoch in range(epochs):
            total = 0.0
            run.set_epoch(epoch)
            for (batch,) in loader:
                with taffrail.zone("step"):
                    x = batch.to(device)
                    with taffrail.zone("forward"):
                        made, mean, log_variance = model(x)
                        reconstruction, divergence = loss_of(x, made, mean, log_variance)
                    with taffrail.zone("backward"):
                        (reconstruction + divergence).backward()
                    optimizer.step()
                loss = (reconstruction + divergence).item() / len(x)
                run.log({"train/loss": loss, "train/reconstruction": reconstruction.item() / len(x), "train/divergence": divergence.item() / len(x)}, step=step)
                total += loss * len(x)
                step += 1
            mean_loss = total / len(pictures)
            run.log({"epoch/loss": mean_loss}, step=epoch)
            print(f"epoch {epoch + 1}: loss {mean_loss:.2f}")
        with torch.no_grad():
            made, _, _ = model(pictures[:64].to(device))
            sampled = model.decoder(torch.randn(64, latent, device=device))
        run.log({"original": taffrail.Image(sheet(pictures)), "reconstructed": taffrail.Image(sheet(made.cpu())), "sampled": taffrail.Image(sheet(sampled.cpu()))}, step=step)
        run.summary["loss"] = mean_loss
    save(pictures, "orig_data.png")
    save(made.cpu(), "reconstructions.png")
    save(sampled.cpu(), "generated_samples.png")
    return mean_loss


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=5)
    train(parser.parse_args().epochs)
