"""Metrics written in Python: values of batches and of everything, reductions, ranks, and mistakes."""

import pickle
import random

import pytest
import taffrail


class Mean(taffrail.Metric):
    def __init__(self, **options):
        super().__init__(**options)
        self.add_state("total", 0.0, dist_reduce_fx="sum")
        self.add_state("count", 0, dist_reduce_fx="sum")

    def update(self, values):
        self.total += sum(values)
        self.count += len(values)

    def compute(self):
        return self.total / self.count if self.count else 0.0


class Everything(taffrail.Metric):
    """One state of each reduction."""

    def __init__(self, **options):
        super().__init__(**options)
        self.add_state("sum", 0.0, "sum")
        self.add_state("mean", 0.0, "mean")
        self.add_state("min", float("inf"), "min")
        self.add_state("max", float("-inf"), "max")
        self.add_state("all", [], "cat")
        self.add_state("product", 1.0, lambda parts: parts[0] * parts[1])

    def update(self, values):
        self.sum += sum(values)
        self.mean = sum(values) / len(values)
        self.min, self.max = min(self.min, *values), max(self.max, *values)
        self.all += values
        for value in values:
            self.product *= value

    def compute(self):
        return {name: getattr(self, name) for name in ("sum", "min", "max", "all", "product")}


def batches(seed=7, count=6):
    numbers = random.Random(seed)
    return [[numbers.uniform(0.5, 2) for _ in range(numbers.randint(2, 5))] for _ in range(count)]


def test_a_call_gives_the_batch_and_compute_everything():
    metric, seen = Mean(), []
    for batch in batches():
        assert metric(batch) == metric.batch_value == pytest.approx(sum(batch) / len(batch))
        seen += batch
        assert metric.compute() == pytest.approx(sum(seen) / len(seen))
    assert metric.update_count == len(batches())
    metric.reset()
    assert not metric.update_called and metric.batch_value is None
    with pytest.warns(UserWarning, match="before any update"):
        assert metric.compute() == 0.0


def test_calls_and_updates_come_to_the_same():
    called, updated = Everything(), Everything()
    for batch in batches():
        called(batch)
        updated.update(batch)
    assert called.compute() == {name: pytest.approx(value) for name, value in updated.compute().items()}
    assert called.update_count == updated.update_count and called.mean == pytest.approx(sum(sum(b) / len(b) for b in batches()) / len(batches()))


def test_full_state_update_reads_the_state_it_changes():
    class Changes(taffrail.Metric):
        full_state_update = True

        def __init__(self):
            super().__init__()
            self.add_state("last", None)
            self.add_state("changes", 0, "sum")

        def update(self, value):
            self.changes += self.last is not None and value != self.last
            self.last = value

        def compute(self):
            return self.changes

    metric = Changes()
    assert [metric(value) for value in (1, 1, 2, 3, 3)] == [0] * 5 and metric.compute() == 2


def test_compute_is_kept_until_the_next_update():
    class Counted(Mean):
        computed = 0

        def compute(self):
            type(self).computed += 1
            return super().compute()

        def update(self, values):
            super().update(values)

    metric = Counted()
    metric.update([1.0, 3.0])
    assert metric.compute() == metric.compute() == 2.0 and Counted.computed == 1 and metric.update_count == 1
    metric.update([5.0])
    assert metric.compute() == 3.0 and Counted.computed == 2


def test_states_of_several_ranks_become_one():
    ranks = [Everything(), Everything(), Everything()]
    for metric, batch in zip(ranks, batches(count=3)):
        metric.update(batch)
    states = [metric.states() for metric in ranks]
    everybody = [value for batch in batches(count=3) for value in batch]
    for metric in ranks[:2]:
        metric.gather = lambda mine: states[:2]
        value = metric.compute()
        first_two = batches(count=3)[0] + batches(count=3)[1]
        assert value["sum"] == pytest.approx(sum(first_two)) and value["all"] == first_two and value["min"] == min(first_two)
        assert not metric.synced and metric.all == batches(count=3)[ranks.index(metric)], "the local states are back"
    total = Everything()
    for metric in ranks:
        total.merge_state(metric)
    assert total.compute()["sum"] == pytest.approx(sum(everybody)) and total.update_count == 3
    ranks[0].sync()
    with pytest.raises(RuntimeError, match="unsync"):
        ranks[0].update([1.0])
    ranks[0].unsync()
    alone = Mean(sync_on_compute=False, gather=lambda mine: [mine, mine])
    together = Mean(dist_sync_on_step=True, gather=lambda mine: [mine, {"total": 8.0, "count": 1}])
    alone.update([2.0])
    assert alone.compute() == 2.0 and together([2.0, 2.0]) == 4.0 and together.total == 4.0


def test_arrays_are_states():
    np = pytest.importorskip("numpy")

    class Confusion(taffrail.Metric):
        def __init__(self):
            super().__init__()
            self.add_state("table", np.zeros((2, 2)), "sum")
            self.add_state("most", np.zeros(2), "max")

        def update(self, said, right):
            for a, b in zip(said, right):
                self.table[a, b] += 1
            self.most = np.maximum(self.most, self.table.sum(0))

        def compute(self):
            return self.table / self.table.sum()

    metric = Confusion()
    metric([0, 1], [0, 0])
    metric([1, 1], [1, 1])
    assert metric.table.tolist() == [[1, 0], [1, 2]] and metric.most.tolist() == [2, 2]
    metric.reset()
    assert metric.table.sum() == 0, "the initial states were not changed"


def test_it_travels_and_is_logged(root):
    metric = Mean()
    metric.update([1.0, 2.0])
    other = pickle.loads(pickle.dumps(metric))
    other.update([3.0])
    assert other.compute() == 2.0 and metric.compute() == 1.5
    fresh = Mean()
    fresh.load_states(metric.states(), updates=metric.update_count)
    assert fresh.compute() == 1.5
    with taffrail.init(name="n") as run:
        run.log({"mean": metric}, step=3)
    assert taffrail.read(root).run("n")["mean"].value.tolist() == [1.5]


def test_a_failed_call_leaves_the_states_as_they_were():
    metric = Mean()
    metric([1.0])
    with pytest.raises(TypeError):
        metric([None])
    assert metric.compute() == 1.0 and metric.update_count == 1


@pytest.mark.parametrize("arguments, error", [
    (("no name", 0.0), "name in Python"), (("compute", 0.0), "name in Python"), (("a", [1.0], "cat"), "begin empty"), (("a", 0.0, "average"), "one of sum"),
    (("a", [], "sum"), "reduced by 'cat'"), (("a", 0.0, "cat"), "reduced by 'cat'"),
])
def test_mistakes_in_states_are_told(arguments, error):
    with pytest.raises(ValueError, match=error):
        taffrail.Metric().add_state(*arguments)
    with pytest.raises(TypeError):
        Mean().merge_state(Everything())
    with pytest.raises(ValueError, match="total"):
        Mean().load_states({"wrong": 1})
