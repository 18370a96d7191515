"""Run scripts written by hand: corners of the format that a generator seldom meets. The id says which."""


def step(name="a", value=1, **fields):
    return {"hook": "training_step", "name": name, "value": value, **fields}


def val(name="v", value=1, **fields):
    return {"hook": "validation_step", "name": name, "value": value, **fields}


RISING = {"base": 0.5, "per_batch": 1, "per_epoch": 10, "per_rank": 100}
BOTH = {"on_step": True, "on_epoch": True}
EVERY = {"log_every_n_steps": 1}
ALL_PROBES = ["prepare_data", "setup", "configure_optimizers", "on_fit_start", "on_sanity_check_start", "on_sanity_check_end",
              "train_dataloader", "on_train_start", "on_train_epoch_start", "on_train_batch_start", "optimizer_step", "training_step",
              "on_before_zero_grad", "optimizer_zero_grad", "on_before_backward", "backward", "on_after_backward", "on_before_optimizer_step",
              "configure_gradient_clipping", "on_train_batch_end", "on_validation_start", "on_validation_epoch_start", "on_validation_batch_start",
              "validation_step", "on_validation_batch_end", "on_validation_epoch_end", "on_validation_end", "on_train_epoch_end", "on_train_end",
              "on_fit_end", "teardown"]

SCRIPTS = [
    {"id": "nothing-given"},
    {"id": 17, "logs": [step()], "comment": "ids of any kind"},
    {"id": "nothing-logged-with-loops", "epochs": 2, "train_batches": 2, "val_batches": [1, 1], **EVERY},
    {"id": "defaults-only", "train_batches": 60, "logs": [step(value=RISING)]},
    {"id": "fit-twice", "stages": ["fit", "fit"], "train_batches": 2, "logs": [step(value=RISING, **BOTH)], **EVERY},
    {"id": "validate-before-and-after", "stages": ["validate", "fit", "validate", "test"], "val_batches": [2], "test_batches": [1], "train_batches": 2,
     "logs": [val(value=RISING, **BOTH), step(value=RISING), {"hook": "test_step", "name": "t", "value": 2, **BOTH}], **EVERY},
    {"id": "predict-alone", "stages": ["predict"], "logs": [step()]},
    {"id": "predict-between", "stages": ["fit", "predict", "fit"], "logs": [step()], **EVERY},
    {"id": "no-epochs", "epochs": 0, "val_batches": [1], "logs": [step(), val()], **EVERY},
    {"id": "no-steps", "max_steps": 0, "val_batches": [1], "logs": [step(), val()], **EVERY},
    {"id": "steps-beyond-epochs", "epochs": 2, "max_steps": 50, "train_batches": 3, "logs": [step(value=RISING, **BOTH)], **EVERY},
    {"id": "steps-end-mid-accumulation", "epochs": 3, "max_steps": 2, "train_batches": 5, "accumulate_grad_batches": 2,
     "logs": [step(value=RISING, **BOTH)], **EVERY},
    {"id": "accumulate-more-than-the-epoch", "epochs": 3, "train_batches": 2, "accumulate_grad_batches": 5, "logs": [step(value=RISING, **BOTH)], **EVERY},
    {"id": "stop-at-once", "stop_at": {"epoch": 0, "batch": 0}, "epochs": 3, "train_batches": 4, "accumulate_grad_batches": 3, "val_batches": [1],
     "logs": [step(value=RISING, **BOTH), val()], **EVERY},
    {"id": "stop-with-no-rows-wanted", "stop_at": {"epoch": 1, "batch": 1}, "epochs": 3, "train_batches": 3, "log_every_n_steps": 0,
     "logs": [step(value=RISING, **BOTH)]},
    {"id": "stop-where-nothing-is", "stop_at": {"epoch": 9, "batch": 9}, "logs": [step()], **EVERY},
    {"id": "sanity-of-everything", "num_sanity_val_steps": -1, "val_batches": [3, 2], "logs": [val(value=RISING, **BOTH)], "probes": ["on_sanity_check_end",
     "validation_step", "on_train_start"], **EVERY},
    {"id": "sanity-only-entry", "val_batches": [2], "logs": [val(when={"sanity": True}), val("w", when={"sanity": False})], **EVERY},
    {"id": "interval-over-epochs", "epochs": 4, "train_batches": 3, "check_val_every_n_epoch": None, "val_check_interval": 5, "val_batches": [1],
     "logs": [val(value=RISING, **BOTH), step(value=RISING)], **EVERY},
    {"id": "interval-quarter", "epochs": 2, "train_batches": 10, "val_check_interval": {"fraction": 0.25}, "val_batches": [2],
     "logs": [val(value=RISING, **BOTH), step(value=RISING, **BOTH)], **EVERY},
    {"id": "interval-smaller-than-a-batch", "train_batches": 2, "val_check_interval": {"fraction": 0.1}, "val_batches": [1], "logs": [val()], **EVERY},
    {"id": "interval-of-a-limited-epoch", "train_batches": 8, "limit_train_batches": 4, "val_check_interval": {"fraction": 0.5}, "val_batches": [1],
     "logs": [val(), step()], **EVERY},
    {"id": "every-third-epoch-in-the-middle", "epochs": 6, "train_batches": 2, "check_val_every_n_epoch": 3, "val_check_interval": 1, "val_batches": [1],
     "logs": [val(value=RISING)], **EVERY},
    {"id": "limits-by-share", "train_batches": 5, "limit_train_batches": {"fraction": 0.5}, "val_batches": [5, 3], "limit_val_batches": {"fraction": 0.4},
     "logs": [val(value=RISING, **BOTH), step(value=RISING, **BOTH)], **EVERY},
    {"id": "limits-of-none", "train_batches": 3, "limit_val_batches": {"fraction": 0.0}, "val_batches": [2], "logs": [val(), step()], **EVERY},
    {"id": "limits-above-what-is-there", "train_batches": 2, "limit_train_batches": 99, "val_batches": [1], "limit_val_batches": 99, "logs": [val(), step()],
     **EVERY},
    {"id": "train-loop-off", "limit_train_batches": 0, "val_batches": [1], "logs": [val(), step()], **EVERY},
    {"id": "empty-train-loader", "train_batches": 0, "val_batches": [1], "logs": [val(), step()], **EVERY},
    {"id": "empty-loaders-in-every-place", "stages": ["validate"], "val_batches": [0, 0, 2, 0, 1, 0],
     "logs": [val(value=RISING), {"hook": "on_validation_epoch_end", "name": "e", "value": 3}]},
    {"id": "only-empty-loaders", "stages": ["fit", "validate"], "val_batches": [0, 0], "logs": [val(), step()], **EVERY},
    {"id": "reload-with-steps", "epochs": 3, "train_batches": 2, "val_batches": [2, 1], "reload_dataloaders_every_n_epochs": 1,
     "logs": [val(value=RISING, **BOTH), step(value=RISING)], **EVERY},
    {"id": "loader-in-a-name-twice", "stages": ["validate"], "val_batches": [1, 1],
     "logs": [val("a{loader}_{loader}", add_dataloader_idx=False), {"hook": "validation_step", "dict": {"d{loader}": 1, "e{loader}x{loader}": RISING},
                                                                   "add_dataloader_idx": False}]},
    {"id": "loader-in-a-train-name", "logs": [step("a_{loader}")], **EVERY},
    {"id": "dict-in-epoch-hook", "logs": [{"hook": "on_train_epoch_end", "dict": {"x": 1, "y": "inf", "z": RISING}, "reduce_fx": "sum", "prog_bar": True}]},
    {"id": "dict-of-typed", "train_batches": 2, "logs": [{"hook": "training_step", "dict": {"x": {"base": 1, "dtype": "int8"}, "y": {"base": 0.1, "dtype":
     "float16", "dims": 2}}, **BOTH}], **EVERY},
    {"id": "one-name-many-hooks", "epochs": 2, "train_batches": 2, "val_batches": [1], "probes": ["on_train_epoch_end", "on_validation_epoch_end"], "logs": [
        step("x", RISING, **BOTH), {"hook": "on_train_batch_end", "name": "x", "value": 7, **BOTH}, {"hook": "on_train_epoch_end", "name": "x", "value": 9},
        val("x", 4, **BOTH), {"hook": "on_validation_epoch_end", "name": "x", "value": 5}], **EVERY},
    {"id": "callback-and-module-one-slot", "train_batches": 3, "logs": [
        {"hook": "on_train_batch_end", "from": "callback", "name": "x", "value": 1, **BOTH}, {"hook": "on_train_batch_end", "name": "x", "value": 3, **BOTH}], **EVERY},
    {"id": "logged-on-some-batches", "epochs": 3, "train_batches": 4, "logs": [
        step("a", RISING, when={"batches": [1]}, **BOTH), step("b", RISING, when={"epochs": [1]}, on_epoch=True), step("c", 2, when={"epochs": [0], "batches": [0]})],
     "probes": ["on_train_batch_end"], **EVERY},
    {"id": "step-and-epoch-as-names", "epochs": 2, "train_batches": 3, "val_batches": [2], "logs": [
        step("step", {"base": 100.9, "per_batch": 2}, **BOTH), step("epoch", {"base": -1, "per_batch": -1}), step("x", 1), val("step", 40, **BOTH),
        {"hook": "on_validation_epoch_end", "name": "epoch", "value": 77}], **EVERY},
    {"id": "step-logged-as-epoch-value", "epochs": 2, "train_batches": 2, "logs": [{"hook": "on_train_epoch_end", "name": "step", "value": RISING},
                                                                            step("x", 1, **BOTH)], **EVERY},
    {"id": "weights-of-nothing", "train_batches": 2, "logs": [step("z", 3, on_epoch=True, batch_size=0), step("m", 3, on_epoch=True, batch_size={"by": ["batch"],
     "table": [0, 4]})], **EVERY},
    {"id": "weights-do-not-count-for-sums", "train_batches": 3, "logs": [step(fx, RISING, on_epoch=True, reduce_fx=fx, batch_size=9) for fx in
                                                                   ("sum", "min", "max", "Mean", "AVG")], **EVERY},
    {"id": "nan-in-every-reduction", "train_batches": 3, "logs": [step(fx, {"by": ["batch"], "table": [1, "nan", 5]}, on_epoch=True, on_step=True, reduce_fx=fx)
                                                           for fx in ("sum", "min", "max", "mean")], **EVERY},
    {"id": "infinities-that-cancel", "train_batches": 2, "logs": [step("i", {"by": ["batch"], "table": ["inf", "-inf"]}, **BOTH)], **EVERY},
    {"id": "no-infinite-start-values", "train_batches": 3, "logs": [step("lo", -2, on_epoch=True, reduce_fx="max"), step("hi", 2, on_epoch=True, reduce_fx="min")],
     **EVERY},
    {"id": "every-dtype", "train_batches": 3, "logs": [step(dtype, {"by": ["batch"], "table": [0, 1, 1], "dtype": dtype}, **BOTH) for dtype in
                                                 ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int8", "bool")], **EVERY},
    {"id": "wide-then-narrow", "train_batches": 2, "epochs": 2, "logs": [
        step("w", {"base": 0.1, "per_batch": 1e-9, "dtype": "float64"}, when={"batches": [0], "epochs": [0]}, **BOTH),
        step("n", {"base": 16777217, "dtype": "float64"}, **BOTH), step("p", 16777217, **BOTH)], **EVERY},
    {"id": "dims-without-dtype", "logs": [step("d", {"base": 0.1, "dims": 3}, **BOTH)], **EVERY},
    {"id": "half-beyond-its-range", "logs": [step("h", {"base": 70000, "dtype": "float16"}, **BOTH), step("b", {"base": 70000, "dtype": "bfloat16"}, **BOTH)], **EVERY},
    {"id": "vector-of-one", "logs": [step("v", {"vector": [2.5]}, **BOTH)], **EVERY},
    {"id": "vector-of-none", "logs": [step("v", {"vector": []})], **EVERY},
    {"id": "raw-number-and-truth", "logs": [step("n", {"raw": 3.5}), step("t", {"raw": True}, **BOTH)], **EVERY},
    {"id": "raw-nan-is-text", "logs": [step("n", {"raw": "nan"})], **EVERY},
    {"id": "table-of-all-axes", "world": 2, "epochs": 2, "train_batches": 2, "val_batches": [1, 1], "logs": [
        val("t", {"by": ["rank", "loader", "epoch"], "table": [[[1, 2], [3]], [[4], [5, 6, 7]]]}, sync_dist=True)], **EVERY},
    {"id": "table-shorter-than-the-run", "epochs": 3, "train_batches": 5, "logs": [step("t", {"by": ["batch", "epoch"], "table": [[1, 2], [3]]}, **BOTH)], **EVERY},
    {"id": "metric-under-two-names", "epochs": 2, "train_batches": 3, "logs": [
        step("one", RISING, metric={"id": "m", "kind": "sum"}, **BOTH), step("two", 1, metric={"id": "m", "kind": "sum", "feed": "none"}, **BOTH)], **EVERY},
    {"id": "metric-of-two-hooks", "train_batches": 2, "val_batches": [2], "logs": [
        step("t", RISING, metric={"id": "t", "kind": "mean"}, **BOTH), val("v", RISING, metric={"id": "v", "kind": "max"}),
        {"hook": "on_validation_epoch_end", "name": "again", "value": 0, "metric": {"id": "v", "kind": "max", "feed": "none"}}], **EVERY},
    {"id": "metric-over-loaders", "stages": ["fit", "validate"], "val_batches": [2, 1], "logs": [val("v", RISING, metric={"id": "v", "kind": "sum"}, **BOTH)], **EVERY},
    {"id": "metric-never-fed", "train_batches": 2, "logs": [step("m", 0, metric={"id": "m", "kind": "mean", "feed": "none"}, on_epoch=True, on_step=False)], **EVERY},
    {"id": "metric-only-updated", "train_batches": 3, "logs": [step("m", RISING, metric={"id": "m", "kind": "mean", "feed": "update"}, **BOTH)], **EVERY},
    {"id": "metric-of-ranks", "world": 3, "train_batches": 2, "epochs": 2, "logs": [step(kind, RISING, metric={"id": kind, "kind": kind}, **BOTH) for kind in
                                                                            ("sum", "mean", "max", "min")], **EVERY},
    {"id": "every-probe", "epochs": 2, "train_batches": 2, "val_batches": [1, 1], "accumulate_grad_batches": 2, "probes": ALL_PROBES, "logs": [
        step("s", RISING, prog_bar=True, **BOTH), val("v", RISING, prog_bar=True, **BOTH)] + [{"hook": hook, "name": "h_" + hook, "value": RISING, "from": source}
        for source in ("module", "callback") for hook in ("on_train_start", "on_train_epoch_start", "on_train_batch_start", "on_before_backward",
                                                          "on_validation_batch_end", "on_validation_epoch_end", "on_train_epoch_end")], **EVERY},
    {"id": "uneven-ranks", "world": 3, "epochs": 2, "train_batches": 3, "val_batches": [2, 1], "batch": {"sizes": [5, 1, 2], "per_rank": 3, "per_loader": 2}, "logs": [
        step("m", RISING, sync_dist=True, **BOTH), val("v", RISING, sync_dist=True, **BOTH), step("s", RISING, sync_dist=True, reduce_fx="sum", **BOTH),
        step("lo", RISING, sync_dist=True, reduce_fx="min", **BOTH), step("own", RISING, on_epoch=True)], **EVERY},
    {"id": "rank-zero-alone", "world": 2, "train_batches": 2, "logs": [step("z", RISING, rank_zero_only=True, sync_dist=True, when={"ranks": [0]}, **BOTH)], **EVERY},
    {"id": "one-rank-logs-a-name", "world": 2, "train_batches": 2, "logs": [step("z", RISING, when={"ranks": [1]}, **BOTH), step("y", RISING, **BOTH)], **EVERY},
    {"id": "misuse-on-ranks", "world": 2, "train_batches": 2, "logs": [step("a", RISING), step("b", {"raw": None}, when={"batches": [1]})], **EVERY},
    {"id": "sync-alone", "train_batches": 2, "logs": [step("a", RISING, sync_dist=True, **BOTH)], **EVERY},
    {"id": "no-sink-wants-logger", "sink": False, "train_batches": 2, "logs": [step("a", RISING, logger=True, **BOTH), step("b", 1, logger=False)], **EVERY},
    {"id": "mistake-in-the-sanity-check", "val_batches": [1], "logs": [step("a"), val("b", on_step=False, on_epoch=False)], **EVERY},
    {"id": "mistake-after-a-stage", "stages": ["fit", "validate", "test"], "val_batches": [1], "test_batches": [1], "logs": [
        step("a", RISING, **BOTH), val("v"), {"hook": "test_step", "name": "t", "value": {"raw": [1]}}], **EVERY},
    {"id": "mistake-in-teardown", "logs": [step("a"), {"hook": "teardown", "name": "x", "value": 1}], **EVERY},
    {"id": "mistake-in-a-callback", "logs": [step("a"), {"hook": "on_train_end", "from": "callback", "name": "x", "value": 1}], **EVERY},
    {"id": "mistake-never-reached", "logs": [step("a"), step("b", {"raw": "x"}, when={"epochs": [5]})], **EVERY},
    {"id": "wrong-level-in-a-callback", "val_batches": [1], "num_sanity_val_steps": 0, "logs": [
        {"hook": "on_validation_start", "from": "callback", "name": "x", "value": 1, "on_step": True}], **EVERY},
    {"id": "same-slot-callback-differs", "logs": [{"hook": "on_train_batch_start", "from": "callback", "name": "x", "value": 1},
                                            {"hook": "on_train_batch_start", "name": "x", "value": 1, "prog_bar": True}], **EVERY},
    {"id": "suffix-in-a-name-without-suffixing", "stages": ["validate"], "val_batches": [1, 1], "logs": [
        val("x/dataloader_idx_{loader}", add_dataloader_idx=False)]},
    {"id": "size-not-needed", "batch": {"kind": "text"}, "train_batches": 2, "logs": [step("s"), step("m", 1, on_epoch=True, reduce_fx="max"),
                                                                                 step("g", 1, on_epoch=True, batch_size=3)], **EVERY},
    {"id": "size-of-every-kind", "stages": ["validate"], "val_batches": [3], "batch": {"kind": "text_first", "sizes": [3, 1]}, "logs": [val("v", RISING)]},
    {"id": "names-of-any-letters", "logs": [step("ü/ß →", RISING, **BOTH), step("a b\"c\\d", 1), step("", 1)], **EVERY},
]

# What trials found beside the generated scripts: numbers beyond single precision, maps with a reduction, mistakes on several ranks.
TRIALS = [
    {'id': 'overflow-number', 'train_batches': 2, 'log_every_n_steps': 1, 'logs': [{'hook': 'training_step', 'name': 'a', 'value': 1e+39, 'on_step': True, 'on_epoch': True}]},
    {'id': 'overflow-sum', 'train_batches': 3, 'log_every_n_steps': 1, 'logs': [{'hook': 'training_step', 'name': 'a', 'value': 3e+38, 'reduce_fx': 'sum', 'on_step': True, 'on_epoch': True}]},
    {'id': 'overflow-mean', 'train_batches': 3, 'log_every_n_steps': 1, 'batch': {'sizes': [4]}, 'logs': [{'hook': 'training_step', 'name': 'a', 'value': 3e+38, 'on_step': True, 'on_epoch': True}]},
    {'id': 'overflow-f64', 'train_batches': 2, 'log_every_n_steps': 1, 'logs': [{'hook': 'training_step', 'name': 'a', 'value': {'base': 1e+39, 'dtype': 'float64'}, 'on_step': True, 'on_epoch': True}]},
    {'id': 'dict-max', 'train_batches': 3, 'log_every_n_steps': 1, 'logs': [{'hook': 'training_step', 'dict': {'a': {'base': 1, 'per_batch': 2}, 'b': {'base': 3, 'per_batch': -1}}, 'reduce_fx': 'max', 'on_step': True, 'on_epoch': True}]},
    {'id': 'dict-min-val', 'train_batches': 1, 'val_batches': [3], 'log_every_n_steps': 1, 'logs': [{'hook': 'validation_step', 'dict': {'a': {'base': 1, 'per_batch': 2}}, 'reduce_fx': 'min'}]},
    {'id': 'ranks-useless', 'world': 2, 'train_batches': 2, 'log_every_n_steps': 1, 'logs': [{'hook': 'training_step', 'name': 'bad', 'value': 1, 'on_step': False, 'on_epoch': False}]},
    {'id': 'ranks-other-options', 'world': 3, 'train_batches': 2, 'log_every_n_steps': 1, 'logs': [{'hook': 'training_step', 'name': 'bad', 'value': 1}, {'hook': 'training_step', 'name': 'bad', 'value': 1, 'prog_bar': True}]},
    {'id': 'ranks-reduction', 'world': 2, 'train_batches': 2, 'log_every_n_steps': 1, 'logs': [{'hook': 'training_step', 'name': 'bad', 'value': 1, 'reduce_fx': 'median'}]},
]
