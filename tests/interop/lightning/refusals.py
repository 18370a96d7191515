"""Every hook with every choice of levels, one call each: the same calls are refused here and on Lightning."""
import generate

CALLBACK_ONLY = ["on_sanity_check_start", "on_sanity_check_end"]
OWN = generate.OWN_HOOKS | {"prepare_data", "configure_optimizers", "configure_model", "on_validation_model_eval", "on_validation_model_train",
                            "on_validation_model_zero_grad", "on_test_model_eval", "on_test_model_train", *generate.LOADER_HOOKS, "predict_step"}
PREDICT = ["on_predict_start", "on_predict_end", "on_predict_epoch_start", "on_predict_epoch_end", "on_predict_batch_start", "on_predict_batch_end",
           "predict_step"]
HOOKS = list(dict.fromkeys(generate.TRAIN_HOOKS + sum(generate.EPOCH_HOOKS.values(), []) + sum(generate.BATCH_HOOKS.values(), [])
                           + generate.NO_LOG_HOOKS + generate.LOADER_HOOKS + CALLBACK_ONLY + sorted(OWN) + PREDICT))
LEVELS = {"default": {}, "step": {"on_step": True}, "no-epoch": {"on_epoch": False}, "both": {"on_step": True, "on_epoch": True},
          "neither": {"on_step": False, "on_epoch": False}}


def script(hook, levels, source):
    stages = ["test"] if "test" in hook else ["predict"] if "predict" in hook else ["fit"]
    return {"id": f"{hook}-{levels}-{source}", "world": 1, "stages": stages, "epochs": 1, "train_batches": 2, "val_batches": [1], "test_batches": [1],
            "num_sanity_val_steps": 1, "log_every_n_steps": 1, "batch": {"kind": "tensor", "sizes": [2]},
            "logs": [{"hook": hook, "from": source, "name": "the_name", "value": 1, **LEVELS[levels]}]}


SCRIPTS = [script(hook, levels, source) for hook in HOOKS for levels in LEVELS
           for source in (["callback"] if hook in CALLBACK_ONLY else ["module"] if hook in OWN or levels not in ("default", "step") else ["module", "callback"])]
