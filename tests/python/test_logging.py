"""What is logged from Python is in the run, as it was logged."""

import math

import pytest
import taffrail


def test_numbers_of_every_spelling_come_back(root):
    np = pytest.importorskip("numpy")
    with taffrail.init(project="p", name="n", config={"lr": 3e-4, "model": {"depth": 4, "sizes": [1, 2]}}) as run:
        loss, pair = run.scalar("scalar"), run.row("row/a", "row/b")
        for step in range(1000):
            run.log({"loss": 1 / (step + 1), "whole": step, "truth": step % 2 == 0}, step=step)
            loss.log(step * 0.5, step)
            pair.log(step, step, -step)
            run.log(f"f-string/{step % 3}", float(step), step)
        run.log({"np32": np.float32(2.5), "np16": np.float16(0.5), "npint": np.int64(7), "zero-d": np.array(3.5), "one": np.array([4.5]), "none": None}, step=3)
        run.log({"nested": {"a": 1.0, "b": {"c": 2.0}}}, step=5)
        run.log({"huge": 10**400, "small": -(10**400)}, step=1)
    past = taffrail.read(root).run("n")
    assert past.info.state == "finished" and past.info.project == "p"
    assert past.config == {"lr": 3e-4, "model/depth": 4, "model/sizes/0": 1, "model/sizes/1": 2}
    assert past["loss"].value.tolist() == [1 / (step + 1) for step in range(1000)] and past["loss"].step.tolist() == list(range(1000))
    assert past["row/b"].value.tolist() == [-float(step) for step in range(1000)]
    assert past["f-string/1"].step.tolist() == list(range(1, 1000, 3))
    values = {info.key: info.last for info in past.keys() if info.count == 1}
    assert values | {"np32": 2.5, "np16": 0.5, "npint": 7, "zero-d": 3.5, "one": 4.5, "nested/a": 1, "nested/b/c": 2} == values
    assert "none" not in values
    assert past["huge"].value.tolist() == [math.inf] and past["small"].value.tolist() == [-math.inf]


def test_steps_are_counted_where_none_is_given(root):
    """Of the keys of one row, which share a step, the one that is furthest decides."""
    with taffrail.init(name="n") as run:
        for _ in range(3):
            run.log({"a": 1.0})
        run.log({"a": 2.0, "b": 1.0})
        run.log("b", 5.0)
    past = taffrail.read(root).run("n")
    assert past["a"].step.tolist() == [0, 1, 2, 3] and past["b"].step.tolist() == [3, 4]


def test_wide_and_changing_dicts_come_back(root):
    with taffrail.init(name="n") as run:
        for step in range(20):
            run.log({f"wide/{i}": float(i * step) for i in range(300)}, step=step)
            run.log({name: float(step) for name in ("a", "b", "c")[: step % 3 + 1]}, step=step)
    past = taffrail.read(root).run("n")
    assert past["wide/299"].value.tolist() == [299.0 * step for step in range(20)]
    assert len(past["a"]) == 20 and past["c"].step.tolist() == list(range(2, 20, 3))


def test_options_are_taken_as_people_write_them(root):
    class Seen(taffrail.Sink):
        def write(self, records):
            pass

    with taffrail.init(name="n", id="known", root=None, notes=None, tags="baseline", sinks=Seen(), config=None) as run:
        run.log({"a": 1.0})
    assert taffrail.read(root).run("n").info.tags == ["baseline"]
    with taffrail.init(name="n", id="known", resume=True, tags=None, sinks=None) as run:
        run.log({"a": 2.0})
    assert len(taffrail.read(root).run("n")["a"]) == 2
    for wrong in ({"rank": "first"}, {"console": "yes"}, {"overflow": 5}, {"flush_interval": "1"}, {"resume": 5}):
        with pytest.raises(TypeError, match=f"cannot take {next(iter(wrong))}="):
            taffrail.init(**wrong)


@pytest.mark.parametrize("call, message", [
    (lambda run: run.log({"a": object()}), "object"),
    (lambda run: run.log({1: 2.0}), "keys"),
    (lambda run: run.log("a"), "takes a dict"),
    (lambda run: run.log({"a": 1.0}, step=1.5), "step"),
    (lambda run: run.log({"a": 1.0}, stepp=1), "stepp"),
    (lambda run: run.row("a", "b").log(0, 1.0), "2 values"),
    (lambda run: run.scalar("a").log(), "value"),
])
def test_mistakes_are_told(root, call, message):
    with taffrail.init(name="n") as run, pytest.raises(TypeError, match=message):
        call(run)


def test_an_array_must_say_how_it_is_meant(root):
    np = pytest.importorskip("numpy")
    with taffrail.init(name="n") as run, pytest.raises(TypeError, match="Histogram"):
        run.log({"weights": np.zeros(10)})


def test_summary_tags_notes_and_definitions(root):
    with taffrail.init(name="n", tags=["first"]) as run:
        run.summary["best/acc"] = 0.91
        run.summary("epochs", 3)
        run.tag("second")
        run.untag("first")
        run.note("a remark")
        run.define_metric("val/*", step="epoch", summary="min", goal="minimize")
        run.alert("loss", "is high", "error")
        run.config.depth = 4
        assert run.config["depth"] == run.config.depth == 4
        with pytest.raises(ValueError, match="'last'"):
            run.define_metric("a", summary="smallest")
    info = taffrail.read(root).run("n").info
    assert info.summary == {"best/acc": 0.91, "epochs": 3} and info.tags == ["second"] and info.config == {"depth": 4}


def test_context_stands_on_points(root):
    with taffrail.init(name="n") as run:
        run.set_epoch(1.5)
        run.set_samples(640)
        run.set_phase("validate")
        run.log({"a": 1.0}, step=0)
    series = taffrail.read(root).run("n").read("a", ["step", "value", "epoch", "samples", "phase", "rank"])
    assert series.column("epoch")[0] == 1.5 and series.column("samples")[0] == 640 and series.column("phase")[0] == 2


def test_options_and_errors_have_types(root, tmp_path):
    with pytest.raises(ValueError, match="'allow'"):
        taffrail.init(resume="maybe")
    with pytest.raises(taffrail.NotFoundError) as caught:
        taffrail.read(tmp_path / "nowhere")
    assert isinstance(caught.value, LookupError) and isinstance(caught.value, taffrail.Error) and caught.value.code == "NotFound"
    with taffrail.init(name="n", id="known") as run:
        run.log({"a": 1.0})
    with pytest.raises(taffrail.AlreadyExistsError):
        taffrail.init(id="known")
    with taffrail.init(id="known", resume="must", resume_step=0) as run:
        run.log({"a": 2.0}, step=0)
    past = taffrail.read(root).run("known")
    assert past["a"].value.tolist() == [2.0] and past.read("a", attempts="all").value.tolist() == [1.0, 2.0]


def test_a_run_that_nobody_is_given_does_not_stay_open(root):
    with pytest.raises(TypeError, match="names with values"):
        taffrail.init(name="config", config=5)
    assert not root.exists() and taffrail.active_run() is None
    with pytest.raises(taffrail.Error, match="tensorboard"):
        taffrail.init(name="sink", config={"lr": 0.1}, sinks=["tensorbord"])
    info = taffrail.read(root).run("sink").info
    assert taffrail.active_run() is None and info.state == "failed" and "tensorbord" in info.message


def test_calls_after_the_end_are_counted_and_do_nothing(root):
    run = taffrail.init(name="n")
    bound = run.scalar("a")
    run.finish()
    bound.log(1.0, 0)
    run.log({"a": 1.0})
    run.finish()
    assert run.finished and run.stats["errors"] >= 2 and taffrail.active_run() is None


def test_mode_off_records_nothing(root, monkeypatch):
    monkeypatch.setenv("TAFFRAIL_MODE", "off")
    run = taffrail.init(name="n")
    run.log({"a": 1.0})
    run.row("a", "b").log(0, 1.0, 2.0)
    run.log_text("t", "x")
    run.finish()
    assert not run.active and not root.exists()
