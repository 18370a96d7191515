"""What a notebook shows: a run as a cell's value, the dashboard in a frame, and cells that are executed again."""

import re
import sys
import urllib.request
from types import SimpleNamespace

import taffrail
import taffrail.notebook


def test_the_module_is_there_when_it_is_named(program):
    done = program("import taffrail\nprint(taffrail.notebook.show.__name__, taffrail.torch.parameter_counts.__name__, taffrail.tensorboard.SummaryWriter.__name__, taffrail.wandb.init.__name__)")
    assert done.stdout == "show parameter_counts SummaryWriter init\n"


def test_a_run_is_shown(root):
    with taffrail.init(name="<n>") as run:
        run.summary["best"] = 0.5
        for step in range(3):  # rows are known by their keys from the second call on
            run.log({"train/<loss>": 1 / (step + 1)}, step=step)
        assert "&lt;n&gt;" in run._repr_html_() and "running" in run._repr_html_() and "0.5" in run._repr_html_()
        assert "<td>train/&lt;loss&gt;</td><td>0.333333</td><td>step 2</td>" in run._repr_html_()
    assert "finished" in run._repr_html_()


def test_the_dashboard_is_a_frame(root):
    with taffrail.init(name="n") as run:
        run.log({"a": 1.0})
        run.flush()
        frame = taffrail.notebook.show(run)
        again = taffrail.notebook.show(root=str(root))
    address = re.search(r'src="([^"]+)"', frame._repr_html_())[1]
    assert again.address == frame.address and frame.address in repr(frame) and b"<title>" in urllib.request.urlopen(address, timeout=60).read()
    for server, _ in taffrail.notebook._servers.values():
        taffrail.notebook._end(server)
    taffrail.notebook._servers.clear()


def test_a_cell_that_is_executed_again_finishes_its_earlier_run(root, monkeypatch):
    class ZMQInteractiveShell:
        pass

    class Hosted(ZMQInteractiveShell):
        pass

    for shell in (ZMQInteractiveShell, Hosted):
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=shell))
        first = taffrail.init(name="cell")
        second = taffrail.init(name="cell")
        assert first.finished and not second.finished and taffrail.active_run() is second
        second.finish()
    import taffrail.wandb as wandb

    first = wandb.init(name="cell")
    assert wandb.init(name="cell", reinit="return_previous") is first
    second = wandb.init(name="cell")
    assert first.native.finished and second is not first
    second.finish()
