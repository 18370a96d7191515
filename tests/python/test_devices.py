"""Numbers that lie on a device are logged without waiting for it, in order, and none is lost; and what must wait does."""

import sys
from pathlib import Path

import pytest
import stand_in_device
import taffrail


@pytest.fixture
def device(monkeypatch):
    device = stand_in_device.Device()
    monkeypatch.setitem(sys.modules, "torch", device.as_torch())
    monkeypatch.setitem(sys.modules, "cupy", device.as_cupy())
    return device


@pytest.mark.parametrize("kind", ["tensor", "jax_array", "cupy_array"])
def test_a_loop_does_not_wait_for_the_device(root, device, kind):
    run = taffrail.init(name="n")
    for step in range(200):
        run.log({"loss": getattr(device, kind)(step / 2), "lr": 0.1}, step=step)
        device.tick(3 if step > 20 else 1)  # at first it falls behind
    assert device.waits == 0
    run.finish()
    past = taffrail.read(root).run("n")
    assert past["loss"].step.tolist() == list(range(200)) and past["loss"].value.tolist() == [step / 2 for step in range(200)]
    assert past["lr"].step.tolist() == list(range(200))


def test_values_that_are_here_do_not_overtake_those_of_their_key(root, device):
    """Without steps the order of the calls is the order of the points; other keys pass."""
    with taffrail.init(name="n") as run:
        run.log({"a": device.tensor(1.0)})
        run.log({"a": device.tensor(2.0)})
        run.log({"b": 1.0})
        assert device.waits == 0
        run.log({"a": 3.0, "b": 2.0})
        assert device.waits == 2
        run.log("a", device.tensor(4.0))
        run.log("a", 5.0)
    past = taffrail.read(root).run("n")
    assert past["a"].value.tolist() == [1, 2, 3, 4, 5] and past["a"].step.tolist() == sorted(set(past["a"].step.tolist())) and past["b"].value.tolist() == [1, 2]


def test_bound_keys_do_not_wait_either(root, device):
    with taffrail.init(name="n") as run:
        loss = run.scalar("loss")
        for step in range(20):
            loss.log(device.tensor(step / 2))
            device.tick(3)
        assert device.waits == 0
        loss.log(-1.0)
        assert device.waits == 0, "the last one had arrived"
        loss.log(device.tensor(-2.0))
        run.log("loss", -3.0)
        assert device.waits == 1
        wide = device.tensor(0.0)
        wide.numel, wide.shape = (lambda: 2), (2,)
        with pytest.raises(TypeError):
            loss.log(wide)
        loss.log(device.tensor(-4.0))
        with pytest.raises(TypeError, match="step"):
            loss.log(1.0, "x")
    assert taffrail.read(root).run("n")["loss"].value.tolist() == [*(step / 2 for step in range(20)), -1.0, -2.0, -3.0, -4.0]


@pytest.mark.parametrize("kind", ["tensor", "jax_array", "cupy_array"])
def test_rows_do_not_wait_either(root, device, kind):
    """They come whole, whatever of them was here already."""
    with taffrail.init(name="n") as run:
        row = run.row("loss", "lr", "norm")
        for step in range(200):
            row.log(step, getattr(device, kind)(step / 2), 0.1, getattr(device, kind)(step / 4))
            device.tick(5 if step > 20 else 1)
        assert device.waits == 0
    past = taffrail.read(root).run("n")
    for key, factor, offset in (("loss", 0.5, 0), ("norm", 0.25, 0), ("lr", 0, 0.1)):
        assert past[key].step.tolist() == list(range(200)) and past[key].value.tolist() == [step * factor + offset for step in range(200)]
    times = [list(past.read(key, ["time"]).column("time")) for key in ("loss", "lr")]
    assert times[0] == times[1], "a row has one time"


def test_tensors_of_one_call_share_an_event(root, device):
    """An event costs what a copy does."""
    with taffrail.init(name="n") as run:
        row = run.row("d", "e", "f")
        tensors = [device.tensor(float(number)) for number in range(3)]
        told = device.told
        run.log(dict(zip("abc", tensors, strict=True)), step=7)
        assert device.told == told + 3 + 1
        row.log(7, *tensors)
        assert device.told == told + 2 * (3 + 1)
        run.log({"a": device.tensor(9.0), "x": "a text", "b": 8.0}, step=8)
    past = taffrail.read(root).run("n")
    assert [past[key].value.tolist() for key in "abcdef"] == [[0, 9], [1, 8], [2], [0], [1], [2]]
    assert {tuple(past[key].step.tolist()) for key in "cdef"} == {(7,)}


def test_rows_keep_the_order_of_their_keys(root, device):
    with taffrail.init(name="n") as run:
        row = run.row("a", "b")
        run.log({"a": device.tensor(1.0)})
        row.log(None, device.tensor(2.0), 20)
        row.log(None, 3.0, device.tensor(30.0))
        assert device.waits == 0
        run.log({"other": 0.0})
        assert device.waits == 0
        row.log(None, 4.0, 40.0)
        assert device.waits > 0
        row.log(None, device.tensor(5.0), 50.0)
        waits = device.waits
        run.log("b", 60.0)
        assert device.waits == waits + 1
    past = taffrail.read(root).run("n")
    assert past["a"].value.tolist() == [1, 2, 3, 4, 5] and past["b"].value.tolist() == [20, 30, 40, 50, 60]
    assert past["a"].step.tolist() == sorted(set(past["a"].step.tolist()))


def test_rows_refuse_what_is_no_number_and_keep_the_rest(root, device):
    with taffrail.init(name="n") as run:
        row = run.row("a", "b")
        with pytest.raises(TypeError):
            row.log(0, device.tensor(1.0), "x")
        with pytest.raises(TypeError, match="step"):
            row.log("x", device.tensor(1.0), 2.0)
        row.log(1, device.tensor(1.0), 1 << 2000)
        run.flush()
        row.log(2, device.tensor(2.0), 2.0)
        with taffrail.guard(), pytest.raises(FloatingPointError, match="'b' is nan at step 3"):
            row.log(3, device.tensor(3.0), device.tensor(float("nan")))
    past = taffrail.read(root).run("n")
    assert past["a"].step.tolist() == [1, 2, 3] and past["b"].value.tolist()[0] == float("inf")


@pytest.mark.parametrize("word", ["flush", "commit", "finish"])
def test_what_ends_something_waits_for_all(root, device, word):
    run = taffrail.init(name="n")
    run.log({"a": device.tensor(1.5), "b": device.tensor(2.5)}, step=7)
    getattr(run, word)()
    past = taffrail.read(root).run("n")
    assert past["a"].value.tolist() == [1.5] and past["b"].step.tolist() == [7]
    run.finish()


def test_points_keep_the_context_they_were_logged_in(root, device):
    with taffrail.init(name="n") as run:
        for epoch in range(2):
            run.set_epoch(epoch)
            run.set_samples(epoch * 10)
            run.set_phase(("train", "validate")[epoch])
            run.log({"a": device.tensor(epoch)}, step=epoch)
    series = taffrail.read(root).run("n").read("a", ["step", "value", "epoch", "samples", "phase"])
    assert list(series.column("epoch")) == [0, 1] and list(series.column("samples")) == [0, 10] and list(series.column("phase")) == [1, 2]


def test_only_so_many_are_on_their_way(root, device, monkeypatch):
    from taffrail import _devices

    monkeypatch.setattr(_devices, "MOST", 8)
    with taffrail.init(name="n") as run:
        for step in range(50):
            run.log({"a": device.tensor(step)}, step=step)
            assert len(run._arriving._queue) <= 8
        assert device.waits == 42
    assert taffrail.read(root).run("n")["a"].value.tolist() == list(range(50))


def test_a_device_that_fails_costs_its_values_and_no_run(root, device):
    with taffrail.init(name="n") as run:
        run.log({"a": device.tensor(1.0)}, step=3)
        run.log({"a": device.tensor(2.0)}, step=4)
        device.broken = True
    past = taffrail.read(root).run("n")
    alerts = [entry.value["text"] for info in past.keys() if info.kind == "alert" for entry in past.entries(info.key)]
    assert past.info.state == "finished" and alerts == ["2 values of a device did not arrive, the first is 'a' at step 3: the device is gone"]


def test_a_device_that_failed_stops_no_call(root, device):
    """Also where it is asked by a later call whether something has arrived."""
    with taffrail.init(name="n") as run:
        run.log({"a": device.tensor(1.0)}, step=0)
        device.broken = True
        run.log("failed", 1.0)
        run.log("failed", 2.0)
    assert taffrail.read(root).run("n")["failed"].value.tolist() == [1, 2]


def test_one_value_that_cannot_be_read_costs_no_other(root, device):
    with taffrail.init(name="n") as run:
        odd = device.jax_array(2 + 1j)
        run.log({"a": device.jax_array(1.0), "odd": odd, "b": device.jax_array(3.0)}, step=0)
    past = taffrail.read(root).run("n")
    assert past["a"].value.tolist() == [1] and past["b"].value.tolist() == [3]


def test_the_buffer_of_a_value_may_be_given_to_the_next_step(root, device):
    with taffrail.init(name="n") as run:
        for step in range(3):
            rate = device.jax_array(step / 2)
            run.log({"rate": rate}, step=step)
            rate.delete()
    assert taffrail.read(root).run("n")["rate"].value.tolist() == [0, 0.5, 1]


def test_a_counter_that_changes_in_place_was_what_it_was(root, device):
    class Counter:
        now = 0

        def __index__(self):
            return self.now

        __int__ = __index__

    counter = Counter()
    with taffrail.init(name="n") as run:
        for Counter.now in range(3):
            run.log({"a": device.tensor(1.0)}, step=counter)
    assert taffrail.read(root).run("n")["a"].step.tolist() == [0, 1, 2]


def test_what_is_flushed_while_a_value_is_waited_for_comes_once(root, device):
    """As a handler of a signal does."""
    with taffrail.init(name="n") as run:
        for step in range(3):
            run.log({"a": device.tensor(step)}, step=step)
        event = run._arriving._queue[0][2]._event
        wait = event.synchronize

        def interrupted():
            event.synchronize = wait
            run.flush()

        event.synchronize = interrupted
        device.tick(100)
        run.log("b", 1.0)
    assert taffrail.read(root).run("n")["a"].value.tolist() == [0, 1, 2]


def test_a_guard_sees_a_value_where_it_is_logged(root, device):
    with taffrail.init(name="n") as run, taffrail.guard():
        with pytest.raises(FloatingPointError, match="step 1"):
            run.log({"a": device.tensor(float("nan"))}, step=1)


def test_the_end_of_a_program_waits(program, root):
    program(f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import stand_in_device, taffrail
        device = stand_in_device.install()
        run = taffrail.init(name="n")
        run.log({{"a": device.tensor(1.5)}}, step=1)
    """, "-X", "dev", "-W", "error")
    past = taffrail.read(root).run("n")
    assert past["a"].value.tolist() == [1.5] and past.info.state == "finished"


def test_a_forked_child_leaves_them_to_its_parent(program, root):
    program(f"""
        import os, sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        import stand_in_device, taffrail
        device = stand_in_device.install()
        with taffrail.init(name="n") as run:
            run.log({{"a": device.tensor(1.0)}}, step=1)
            child = os.fork()
            if child == 0:
                run.log({{"child": 1.0}}, step=1)
                run.flush()
                waits = device.waits
                run.log({{"child": device.jax_array(2.0)}}, step=2)  # read at once
                run.flush()
                os._exit(waits)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    """, "-X", "dev")
    past = taffrail.read(root).run("n")
    assert past["a"].value.tolist() == [1.0] and past["child"].value.tolist() == [1.0, 2.0]


def test_numbers_that_are_here_are_logged_at_once(root):
    np = pytest.importorskip("numpy")
    with taffrail.init(name="n") as run:
        run.log({"a": np.array(1.0), "b": np.float32(2.0)}, step=0)
        assert run._arriving is None
    assert taffrail.read(root).run("n")["a"].value.tolist() == [1.0]
