from common import TAGS, measure


def log_all(folder, data):
    import wandb

    settings = wandb.Settings(mode="offline", silent=True, console="off", x_disable_stats=True, x_disable_meta=True, disable_git=True, disable_code=True, save_code=False)
    run = wandb.init(project="bench", dir=folder, settings=settings)
    for values in data:
        run.log(dict(zip(TAGS, values)))
    run.finish()
    wandb.teardown()


measure(log_all, dicts=True)
