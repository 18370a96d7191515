"""Hugging Face's Trainer, Keras and Accelerate log what they report."""

import os

os.environ.setdefault("KERAS_BACKEND", "torch")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import pytest  # noqa: E402
import taffrail  # noqa: E402
import torch  # noqa: E402


def test_hugging_face_trainer(root, tmp_path):
    transformers = pytest.importorskip("transformers")
    from taffrail.transformers import TaffrailCallback

    model = transformers.GPT2LMHeadModel(transformers.GPT2Config(n_layer=1, n_head=2, n_embd=16, vocab_size=50, n_positions=16))
    data = [{"input_ids": torch.randint(0, 50, (8,)), "labels": torch.randint(0, 50, (8,))} for _ in range(16)]
    arguments = transformers.TrainingArguments(output_dir=str(tmp_path / "out"), max_steps=6, logging_steps=1, eval_strategy="steps", eval_steps=3, report_to=[], use_cpu=True,
                                               per_device_train_batch_size=4, save_strategy="no", disable_tqdm=True)
    callback = TaffrailCallback(project="hf", name="n")
    trainer = transformers.Trainer(model=model, args=arguments, train_dataset=data, eval_dataset=data[:4], callbacks=[callback])
    trainer.train()
    callback.run.finish()
    past = taffrail.read(root).run("n")
    history = [row for row in trainer.state.log_history if "loss" in row]
    assert past["train/loss"].step.tolist() == [row["step"] for row in history] == list(range(1, 7))
    assert past["train/loss"].value.tolist() == [row["loss"] for row in history]
    assert past["eval/loss"].value.tolist() == [row["eval_loss"] for row in trainer.state.log_history if "eval_loss" in row]
    assert past.config["model/n_embd"] == 16 and past.config["trainer/max_steps"] == 6 and "train/train_runtime" in past.summary


def test_keras(root):
    keras = pytest.importorskip("keras")
    import numpy as np
    from taffrail.keras import TaffrailCallback

    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse")
    x, y = np.random.default_rng(1).random((32, 4)), np.zeros((32, 1))
    callback = TaffrailCallback(project="keras", name="n", log_freq=2)
    history = model.fit(x, y, epochs=3, batch_size=8, validation_data=(x, y), callbacks=[callback], verbose=0).history
    model.evaluate(x, y, callbacks=[callback], verbose=0)
    callback.run.finish()
    past = taffrail.read(root).run("n")
    assert past["train/loss"].value.tolist() == pytest.approx(history["loss"]) and past["val/loss"].value.tolist() == pytest.approx(history["val_loss"])
    assert past["batch/loss"].step.tolist() == [0, 2, 4, 6, 8, 10] and len(past["test/loss"]) == 1 and past.config["parameters"] == 5


def test_accelerate(root):
    accelerate = pytest.importorskip("accelerate")
    from taffrail.accelerate import TaffrailTracker

    accelerator = accelerate.Accelerator(cpu=True, log_with=TaffrailTracker("n", project="accelerate"))
    accelerator.init_trackers("accelerate", config={"lr": 0.1})
    for step in range(5):
        accelerator.log({"loss": 1.0 / (step + 1)}, step=step)
    accelerator.get_tracker("taffrail").log_images({"picture": torch.rand(3, 4, 4)}, step=0)
    accelerator.end_training()
    past = taffrail.read(root).run("n")
    assert past["loss"].value.tolist() == [1.0 / (step + 1) for step in range(5)] and past.config == {"lr": 0.1} and past.info.state == "finished"
    assert past.entries("picture")[0].value["width"] == 4
