"""Loggers and routines: those of the library, and classes written in Python; from code and from a configuration."""

import csv
import textwrap

import pytest
import taffrail


class Extremes(taffrail.Routine):
    """The largest of what it tracks."""

    key = "extremes"

    def __init__(self, name="most", below=1e9):
        self.name, self.below, self.seen = name, below, {}

    def log_iter(self, data, context):
        for name in context.tracked:
            if data.values[name] < self.below:
                self.seen[name] = max(self.seen.get(name, float("-inf")), data.values[name])

    def log_epoch(self, epoch, phase, context):
        context.log({f"{self.name}/{name}/{phase}": value for name, value in self.seen.items()}, step=epoch)
        self.seen = {}


def keys_of(root):
    return {info.key for info in taffrail.read(root).run("n").keys()}


def test_routines_of_both_languages_stand_in_one_logger(root):
    with taffrail.init(name="n") as run:
        logger = taffrail.Logger(run, routines=["metric", Extremes], tracked_variables={"metric": ["loss"], "extremes": ["acc"]}, print_epochs=False)
        for epoch in range(2):
            for batch in range(5):
                logger.log_iter({"loss": 1.0 / (batch + 1), "acc": batch / 10 + epoch}, epoch=epoch, batch_size=4, batch_current=batch + 1, batch_total=5)
            logger.log_epoch()
        assert logger.iterations("train") == 10 and logger.tracks("acc") and not logger.tracks("other") and logger.run is run
        logger.end_log()
        logger.check()
    past = taffrail.read(root).run("n")
    assert past["most/acc/train"].step.tolist() == [0, 1] and past["most/acc/train"].value.tolist() == [0.4, 1.4]
    assert any(key.startswith("Metric") and "/loss/" in key for key in keys_of(root))


def test_a_routine_sees_the_objects_themselves_and_where_the_training_stands(root):
    seen = []

    class Sees(taffrail.Routine):
        def log_iter(self, data, context):
            seen.append((data, context.tracked, context.run))

        def end_log(self, context):
            seen.append(context)

    odd = {"deep": {"a": 1.0}}
    with taffrail.init(name="n") as run:
        logger = taffrail.Logger(run, routines=[Sees], tracked_variables={"Sees": ["x"]})
        logger.log_iter({"x": 1.5, "more": odd}, phase="validate", epoch=3, max_epochs=9, batch_size=2, batch_current=1, batch_total=4, total_iters=17)
        logger.end_log()
    data, tracked, its_run = seen[0]
    assert data.values["more"] is odd and data.values["x"] == 1.5 and tracked == ["x"] and its_run is run
    assert data[1:] == ("validate", 3, 9, 2, 1, 4, 17)
    with pytest.raises(taffrail.ClosedError, match="during the call"):
        seen[1].log({"late": 1.0}, step=0)


def test_values_of_every_kind_take_the_route_of_the_logger(root, tmp_path):
    np = pytest.importorskip("numpy")

    class Kinds(taffrail.Routine):
        def log_iter(self, data, context):
            step = data.total_iters
            context.log_value("kinds/text", "said", step)
            context.log_value("kinds/histogram", taffrail.Histogram([1.0, 2.0, 3.0], bins=2), step)
            context.log_value("kinds/table", taffrail.Table([[1, "a"]], columns=["x", "y"]), step)
            context.log_value("kinds/image", taffrail.Image(np.zeros((3, 4, 3), "u1")), step)
            context.log_value("kinds/video", taffrail.Video(np.zeros((2, 3, 4, 3), "u1")), step)
            context.log_value("kinds/audio", taffrail.Audio(np.zeros(8, "f4"), 8000), step)
            context.log_value("kinds/mesh", taffrail.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), step)
            context.log_value("kinds/graph", taffrail.Graph([{"name": "in"}]), step)

    with taffrail.init(name="n") as run:
        logger = taffrail.Logger(run, routines=["image", "hist", "mesh", "video", "audio", "text", Kinds],
                                 tracked_variables={"image": ["picture"], "hist": ["weights"], "mesh": ["cloud"], "video": ["film"], "audio": ["sound"], "text": ["said"]})
        logger.log_iter({"picture": taffrail.Image(np.zeros((5, 6, 3), "u1")), "weights": np.arange(10.0), "cloud": np.zeros((7, 3)),
                         "film": taffrail.Video(np.zeros((2, 3, 4, 3), "u1")), "sound": taffrail.Audio(np.zeros(8, "f4"), 8000), "said": "words"}, total_iters=5)
        logger.check()
    past = taffrail.read(root).run("n")
    kinds = {info.key.removeprefix("kinds/"): info.kind for info in past.keys() if info.key.startswith("kinds/")}
    assert kinds == {kind: kind for kind in ("text", "histogram", "table", "image", "video", "audio", "mesh", "graph")}
    assert [entry.step for entry in past.entries("kinds/image")] == [5] and past.entries("kinds/mesh")[0].value["faces"] == 1
    found = {info.kind for info in past.keys() if not info.key.startswith("kinds/")}
    assert {"image", "histogram", "mesh", "video", "audio", "text"} <= found


def test_the_interval_thins_the_interface_and_the_run_keeps_all(root, tmp_path):
    class Doubles(taffrail.Routine):
        def log_iter(self, data, context):
            context.log({"doubled": data.values["loss"] * 2}, step=data.total_iters)

    with taffrail.init(name="n") as run:
        logger = taffrail.Logger(run, routines=[Doubles], interface="csv", interface_options={"log_dir": str(tmp_path / "csv")}, log_every_n_iter=10)
        for step in range(30):
            logger.log_iter({"loss": float(step)}, total_iters=step)
        logger.end_log()
    rows = [row for path in (tmp_path / "csv").rglob("*.csv") for row in csv.DictReader(path.read_text().splitlines()) if row.get("doubled")]
    assert [float(row["doubled"]) for row in rows] == [0.0, 20.0, 40.0]
    assert taffrail.read(root).run("n")["doubled"].value.tolist() == [2.0 * step for step in range(30)]


def test_a_failing_routine_stops_neither_the_others_nor_the_training(root):
    class Fails(taffrail.Routine):
        def log_iter(self, data, context):
            raise RuntimeError("out of order")

    with taffrail.init(name="n") as run:
        logger = taffrail.Logger(run, routines=[Fails, Extremes], tracked_variables={"extremes": ["acc"]}, print_epochs=False)
        logger.log_iter({"acc": 0.5})
        logger.log_epoch(0)
        with pytest.raises(taffrail.Error, match="out of order"):
            logger.check()
        logger.end_log("failed", "by hand")
    past = taffrail.read(root).run("n")
    assert past["most/acc/train"].value.tolist() == [0.5] and past.info.state == "failed"


def test_loggers_come_from_a_configuration(root, tmp_path):
    """`logger=csv` with routines of both languages; their options are checked, and come as what they look like."""
    taffrail.register_routine(Extremes)
    configs = tmp_path / "configs"
    (configs / "logger").mkdir(parents=True)
    (configs / "logger" / "csv.yaml").write_text(textwrap.dedent("""
        csv:
          config:
            loggers: [metric, extremes]
            tracked_variables: {metric: [loss], extremes: [acc]}
            routine_options: {extremes: {name: least, below: 0.7}}
            print_epochs: false
    """))
    (configs / "config.yaml").write_text("defaults:\n  - logger: csv\nproject: p\n")
    composed = taffrail.compose("config", ["+logger.csv.config.log_every_n_iter=2"], search_path=[str(configs)])
    config, choices = composed
    assert choices["logger"] == "csv" and config["project"] == "p"
    with taffrail.init(name="n") as run:
        (logger,) = taffrail.make_loggers(run, composed)
        for acc in (0.1, 0.6, 0.9):
            logger.log_iter({"loss": 1.0, "acc": acc})
        logger.log_epoch(0)
        logger.end_log()
    assert taffrail.read(root).run("n")["least/acc/train"].value.tolist() == [0.6]
    (configs / "logger" / "csv.yaml").write_text((configs / "logger" / "csv.yaml").read_text().replace("below: 0.7", "belov: 0.7"))
    with taffrail.init(name="wrong") as run, pytest.raises(taffrail.Error, match="belov"):
        taffrail.make_loggers(run, taffrail.compose("config", search_path=[str(configs)]))


def test_loggers_may_be_derived_from(root):
    class Mine(taffrail.Logger):
        def log_iter(self, data, **more):
            super().log_iter({f"mine-{name}": value for name, value in data.items()}, **more)

    with taffrail.init(name="n") as run:
        logger = Mine(run, routines=["metric"], tracked_variables={"metric": ["mine-loss"]})
        logger.log_iter({"loss": 2.0})
        logger.end_log()
    assert any("mine-loss" in key for key in keys_of(root))


@pytest.mark.parametrize("options, error", [
    ({"routines": ["metrik"]}, "metric"), ({"routines": ["metric"], "tracked_variables": {"image": ["x"]}}, "not in its list"), ({"interface": "tensorbord"}, "tensorboard"),
])
def test_mistakes_are_told_when_a_logger_is_made(root, options, error):
    with taffrail.init(name="n") as run, pytest.raises(taffrail.Error, match=error):
        taffrail.Logger(run, **options)


def test_what_is_no_routine_is_refused(root):
    with taffrail.init(name="n") as run:
        with pytest.raises(TypeError, match="taffrail.Routine"):
            taffrail.Logger(run, routines=[dict])
        logger = taffrail.Logger(run, routines=["metric"], tracked_variables={"metric": ["a"]})
        with pytest.raises(TypeError, match="Artifact"):
            logger.log_iter({"a": taffrail.Artifact("x")})
    assert {"metric", "image", "hist", "extremes"} <= {routine["key"] for routine in taffrail.registered_routines()}
