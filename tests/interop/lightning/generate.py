"""Random run scripts: every flag, hook, reduction, dtype and error code, some on several ranks, some with a mistake.

    generate.py COUNT [SEED]
"""
import json
import random
import sys

TRAIN_HOOKS = ["training_step", "on_train_batch_start", "on_train_batch_end", "on_before_zero_grad",
               "optimizer_zero_grad", "on_before_backward", "backward", "on_after_backward",
               "on_before_optimizer_step", "optimizer_step", "configure_gradient_clipping"]
OWN_HOOKS = {"training_step", "optimizer_zero_grad", "backward", "optimizer_step", "configure_gradient_clipping",
             "validation_step", "test_step"}
EPOCH_HOOKS = {"fit": ["on_train_start", "on_train_epoch_start", "on_train_epoch_end"],
               "val": ["on_validation_start", "on_validation_epoch_start", "on_validation_epoch_end"],
               "test": ["on_test_start", "on_test_epoch_start", "on_test_epoch_end"]}
BATCH_HOOKS = {"val": ["validation_step", "on_validation_batch_start", "on_validation_batch_end"],
               "test": ["test_step", "on_test_batch_start", "on_test_batch_end"]}
PROBES = ["on_train_batch_start", "on_train_batch_end", "on_train_epoch_start", "on_train_epoch_end", "on_train_start",
          "on_train_end", "on_validation_start", "on_validation_epoch_start", "on_validation_batch_start",
          "on_validation_batch_end", "on_validation_epoch_end", "on_validation_end", "on_test_batch_end",
          "on_test_epoch_end", "on_before_backward", "on_after_backward", "on_before_zero_grad",
          "on_before_optimizer_step", "on_fit_start", "on_fit_end", "setup", "teardown", "on_sanity_check_start",
          "on_sanity_check_end", "training_step", "validation_step", "backward", "optimizer_step"]
# Where batches come from and go through. Loaders are asked at moments of their own, which the order of the probes shows.
LOADER_HOOKS = ["train_dataloader", "val_dataloader", "test_dataloader", "predict_dataloader", "on_before_batch_transfer",
                "transfer_batch_to_device", "on_after_batch_transfer"]
REDUCTIONS = ["mean", "sum", "min", "max", "avg", "MEAN", "Max", "SUM"]
DTYPES = ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int8", "bool"]
BATCH_KINDS = ["tensor", "dict", "pair", "nested", "scalar", "ambiguous", "text_last", "text_first"]
NO_LOG_HOOKS = ["setup", "teardown", "prepare_data", "configure_optimizers", "train_dataloader", "val_dataloader",
                "on_fit_start", "on_fit_end", "on_train_end", "on_validation_end", "on_test_end", "test_dataloader",
                "on_before_batch_transfer", "transfer_batch_to_device", "on_after_batch_transfer"]
MISTAKES = ["E1", "E2", "E4", "E5", "E6", "E7", "E8", "E9", "E10", "E12", "E13", "E15", "E16", "E17"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    def number(self):
        pick = self.random
        return pick.choice([pick.randint(-5, 9), round(pick.uniform(-3, 3), 3), 0, 1, 0.1,
                            round(pick.uniform(-300, 300), 2)])

    def value(self):
        pick = self.random
        if self.chance(0.06):
            return pick.choice(["nan", "inf", "-inf"])
        if self.chance(0.2):
            return self.number()
        if self.chance(0.65):
            form = {"base": self.number()}
            for axis in ("batch", "epoch", "loader", "rank"):
                if self.chance(0.5):
                    form["per_" + axis] = self.number()
        else:
            axes = pick.sample(["epoch", "batch", "loader", "rank"], pick.randint(1, 2))
            form = {"by": axes, "table": self.table(len(axes))}
        if self.chance(0.45):
            form["dtype"] = pick.choice(DTYPES)
            if form["dtype"] == "int8":
                form = {"base": pick.randint(-9, 9), "per_batch": pick.randint(-2, 2), "dtype": "int8"}
            elif form["dtype"] in ("int64", "int32"):
                form = {"base": pick.randint(-99, 99), "per_batch": pick.randint(-9, 9),
                        "per_rank": pick.randint(0, 3), "dtype": form["dtype"]}
            elif form["dtype"] == "bool":
                form = {"by": ["batch"], "table": [pick.choice([0, 1]) for _ in range(3)], "dtype": "bool"}
            if self.chance(0.3):
                form["dims"] = pick.randint(1, 3)
        return form

    def table(self, depth):
        length = self.random.randint(1, 3)
        return [self.number() if depth == 1 else self.table(depth - 1) for _ in range(length)]

    def flags(self, script, epoch_only):
        pick, entry = self.random, {}
        if epoch_only:
            if self.chance(0.3):
                entry["on_epoch"] = True
            if self.chance(0.2):
                entry["on_step"] = False
        else:
            choice = pick.choice([None, (True, True), (True, False), (False, True), (True, None), (None, True)])
            for name, given in zip(("on_step", "on_epoch"), choice or ()):
                if given is not None:
                    entry[name] = given
        if self.chance(0.35):
            entry["prog_bar"] = self.chance(0.8)
        if self.chance(0.6 if script.get("sink") is False else 0.25):
            entry["logger"] = self.chance(0.6)
        if self.chance(0.5):
            entry["reduce_fx"] = pick.choice(REDUCTIONS)
        if self.chance(0.3):
            entry["batch_size"] = pick.choice([1, 3, 7, 0, {"by": ["batch"], "table": [2, 5]},
                                               {"base": 2, "per_rank": 3}])
        if self.chance(0.25):
            entry["sync_dist"] = self.chance(0.8)
        if self.chance(0.08):
            entry["rank_zero_only"] = True
        if self.chance(0.05):
            entry["enable_graph"] = True
        return entry

    def when(self, script):
        when = {}
        if self.chance(0.2):
            when["epochs"] = sorted(self.random.sample(range(3), self.random.randint(1, 2)))
        if self.chance(0.2):
            when["batches"] = sorted(self.random.sample(range(4), self.random.randint(1, 3)))
        if self.chance(0.1):
            when["loaders"] = [self.random.randint(0, 1)]
        if self.chance(0.08):
            when["sanity"] = self.chance(0.3)
        return when

    def hook(self, script):
        """A hook that plays in this script, and whether it only knows epochs."""
        loops = [loop for loop, there in (("fit", "fit" in script["stages"]),
                                          ("val", script.get("val_batches") and
                                           ("fit" in script["stages"] or "validate" in script["stages"])),
                                          ("test", script.get("test_batches") and "test" in script["stages"])) if there]
        loop = self.random.choice(loops)
        if self.chance(0.5 if loop == "test" else 0.22):
            return self.random.choice(EPOCH_HOOKS[loop]), True
        if loop == "fit":
            return self.random.choice(["training_step"] * 4 + TRAIN_HOOKS), False
        return self.random.choice([BATCH_HOOKS[loop][0]] + BATCH_HOOKS[loop]), False

    def entry(self, script, index):
        hook, epoch_only = self.hook(script)
        entry = {"hook": hook, **self.flags(script, epoch_only)}
        if hook not in OWN_HOOKS and self.chance(0.35):
            entry["from"] = "callback"
        several = any(hook.startswith(start) or start in hook for start in ("validation", "test"))
        name = f"m{index}"
        if self.chance(0.04):
            name = self.random.choice(["step", "epoch"])
        if several and self.chance(0.2):
            entry["add_dataloader_idx"] = False
            name += "_{loader}"
        if self.chance(0.12) and "reduce_fx" not in entry:
            entry["dict"] = {f"{name}_{part}": self.value() for part in "ab"[:self.random.randint(1, 2)]}
        else:
            entry["name"], entry["value"] = name, self.value()
        if "name" in entry and self.chance(0.2):
            entry["metric"] = {"id": f"metric{index}", "kind": self.random.choice(["sum", "mean", "max", "min"]),
                               "feed": self.random.choice(["forward", "forward", "update", "none"])}
            if isinstance(entry["value"], dict):
                entry["value"].pop("dims", None)
        if name == "step":
            # Lightning makes a whole number of it, which NaN and infinities are not.
            entry.pop("metric", None)
            entry.pop("batch_size", None)
            entry.pop("dict", None)
            entry["name"], entry["value"] = name, {"base": self.random.randint(0, 50), "per_batch": 1.5}
        when = self.when(script)
        if when:
            entry["when"] = when
        # A synced value must be logged by every rank, and a mean of whole weights must have some.
        if script["world"] > 1 and self.chance(0.1) and not entry.get("sync_dist") and "metric" not in entry:
            entry.setdefault("when", {})["ranks"] = [self.random.randint(0, script["world"] - 1)]
        return entry

    def script(self, identity, world, mistake=None):
        pick = self.random
        script = {"id": identity, "world": world,
                  "stages": pick.choice([["fit"]] * 5 + [["validate"], ["test"], ["test"], ["fit", "validate"], ["fit", "test"],
                                                         ["validate", "fit", "test"], ["fit", "validate", "validate"],
                                                         ["fit", "predict"]]),
                  "epochs": pick.randint(1, 3), "train_batches": pick.randint(1, 6)}
        if "validate" in script["stages"] or self.chance(0.65):
            script["val_batches"] = [pick.randint(1, 3) for _ in range(pick.choice([1, 1, 1, 2, 2, 3]))]
            if len(script["val_batches"]) > 1 and self.chance(0.25):
                script["val_batches"][pick.randrange(len(script["val_batches"]))] = 0
        if "test" in script["stages"]:
            script["test_batches"] = [pick.randint(1, 3) for _ in range(pick.choice([1, 1, 2]))]
        script["batch"] = {"kind": pick.choice(["tensor", "ambiguous", "text_last"] + BATCH_KINDS),
                           "sizes": [pick.randint(1, 6) for _ in range(pick.randint(1, 3))]}
        if self.chance(0.3):
            script["batch"]["per_rank"] = pick.randint(1, 2)
        if self.chance(0.2):
            script["batch"]["per_loader"] = pick.randint(1, 2)
        script["log_every_n_steps"] = pick.choice([1, 1, 1, 2, 3, 5, 0, 50])
        if self.chance(0.3):
            script["accumulate_grad_batches"] = pick.randint(1, 3)
        if self.chance(0.3):
            script["num_sanity_val_steps"] = pick.choice([0, 1, -1, 3])
        if self.chance(0.25):
            script["max_steps"] = pick.randint(1, 8)
        if self.chance(0.15):
            stop = {"epoch": pick.randint(0, 1), "batch": pick.randint(0, 3)}
            # Ranks stop where they meet next, up to 50 ms later, and not where each of them asked: docs/guide/training.md.
            if world == 1:
                script["stop_at"] = stop
        if self.chance(0.15):
            script["check_val_every_n_epoch"] = 2
        if self.chance(0.25):
            script["val_check_interval"] = pick.choice([1, {"fraction": 0.5}, {"fraction": 0.34}, {"fraction": 1.0}])
        elif self.chance(0.1):
            script["check_val_every_n_epoch"], script["val_check_interval"] = None, pick.randint(1, 5)
        for name in ("train", "val", "test"):
            if self.chance(0.12):
                script[f"limit_{name}_batches"] = pick.choice([1, 2, {"fraction": 1.0}])
        if self.chance(0.04):
            script["limit_train_batches"] = 0
        if self.chance(0.06):
            script["limit_val_batches"] = 0
        if self.chance(0.1):
            script["reload_dataloaders_every_n_epochs"] = pick.randint(1, 2)
        if self.chance(0.2):
            script["sink"] = False
        if self.chance(0.35):
            script["probes"] = sorted({*pick.sample(PROBES, pick.randint(1, 5)), *pick.sample(LOADER_HOOKS, pick.randint(0, 3))})
        script["logs"] = [self.entry(script, index) for index in range(pick.randint(1, 6))]
        if mistake:
            self.spoil(script, mistake)
        return script

    def spoil(self, script, code):
        """Adds one mistake; the rest of the script stays as it is."""
        pick = self.random
        script["stages"], script["logs"] = ["fit"], [entry for entry in script["logs"]
                                                     if "test" not in entry["hook"]][:3]
        script.pop("limit_train_batches", None)
        script.pop("limit_val_batches", None)
        script["max_steps"], script["val_batches"] = None, [2, 1]
        script["num_sanity_val_steps"] = pick.choice([0, 1])
        script["train_batches"], script["batch"] = 3, {"sizes": [2]}
        script["check_val_every_n_epoch"], script["val_check_interval"] = 1, {"fraction": 1.0}
        script.pop("stop_at", None)
        hook = pick.choice(["training_step", "validation_step", "on_train_batch_end", "on_validation_batch_end"])
        when = {"batches": [pick.randint(0, 1)]}
        add = script["logs"].append
        if code == "E1":
            add({"hook": hook, "name": "bad", "value": 1, "on_step": False, "on_epoch": False, "when": when})
        elif code == "E2":
            hook = pick.choice(NO_LOG_HOOKS)
            if hook in ("on_test_end", "test_dataloader"):
                script["stages"], script["test_batches"] = ["fit", "test"], [1]
            add({"hook": hook, "name": "bad", "value": 1})
        elif code == "E4":
            hook = pick.choice(EPOCH_HOOKS["fit"] + EPOCH_HOOKS["val"])
            add({"hook": hook, "name": "bad", "value": 1, **pick.choice([{"on_step": True}, {"on_epoch": False}])})
        elif code == "E5":
            add({"hook": hook, "name": "bad", "when": when,
                 "value": {"raw": pick.choice([None, "text", [1, 2], {"a": 1}, {"a": {"b": 1}}, []])}})
        elif code == "E6":
            add({"hook": hook, "name": "bad", "value": {"vector": [1, 2]}, "when": when})
        elif code == "E7":
            add({"hook": hook, "name": "bad/dataloader_idx_0", "value": 1, "when": when})
        elif code == "E8":
            if self.chance(0.4):
                add({"hook": "validation_step", "name": "bad", "value": 1, "add_dataloader_idx": False})
            else:
                add({"hook": hook, "name": "bad", "value": 1})
                add({"hook": hook, "name": "bad", "value": 1, "when": when,
                     **pick.choice([{"prog_bar": True}, {"logger": False}, {"reduce_fx": "max"},
                                    {"on_step": True, "on_epoch": True}, {"rank_zero_only": True}])})
        elif code == "E9":
            add({"hook": hook, "name": "bad", "value": 1, "when": when,
                 "reduce_fx": pick.choice(["argmax", "median", "std", ""])})
        elif code == "E10":
            add({"hook": hook, "name": "bad", "value": 1, "metric": {"id": "loose", "kind": "sum", "attached": False}})
        elif code == "E12":
            script["batch"] = {"kind": pick.choice(["text", "texts", "empty"])}
            script["logs"].clear()
            add({"hook": hook, "name": "fine", "value": 1, "batch_size": 2})
            add({"hook": hook, "name": "bad", "value": 1, "on_epoch": True, "when": when})
        elif code == "E13":
            script["stages"] = ["fit", "predict"]
            add({"hook": pick.choice(["predict_step", "on_predict_start", "on_predict_batch_end", "on_predict_epoch_end",
                                      "on_predict_end", "on_predict_batch_start"]), "name": "bad", "value": 1})
        elif code == "E15":
            add({"hook": hook, "name": "bad", "value": 1, "on_epoch": True, "on_step": self.chance(0.5),
                 "metric": {"id": "two", "kind": "pair", "feed": pick.choice(["forward", "update"])}})
        elif code == "E16":
            if self.chance(0.5):
                script["val_check_interval"] = 9
            else:
                script["check_val_every_n_epoch"] = None
        elif code == "E17":
            script[pick.choice(["limit_train_batches", "limit_val_batches"])] = {"fraction": 0.1}


def generate(count, seed=1):
    """`count` scripts: at least a seventh with a mistake (all codes in turn, six times), two fifths of the rest on two or
    three ranks."""
    generator, scripts, mistakes, plain = Generator(seed), [], 0, 0
    wanted = max(count // 7 + 1, 6 * len(MISTAKES)) if count >= 150 else count // 5
    for index in range(count):
        mistake = None
        if mistakes * count < wanted * (index + 1):
            mistake = MISTAKES[mistakes % len(MISTAKES)]
            mistakes += 1
        else:
            plain += 1
        world = generator.random.choice([2, 3]) if not mistake and plain % 5 in (0, 3) else 1
        scripts.append(generator.script(f"s{seed}-{index}", world, mistake))
    return scripts


if __name__ == "__main__":
    for one in generate(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1):
        print(json.dumps(one))
