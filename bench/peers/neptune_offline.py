from common import TAGS, measure


def log_all(folder, data):
    from neptune_scale import Run

    run = Run(experiment_name="bench", project="bench/bench", mode="offline", log_directory=folder, enable_console_log_capture=False)
    for step, values in enumerate(data):
        run.log_metrics(data=dict(zip(TAGS, values)), step=step)
    run.close()


if __name__ == "__main__":
    measure(log_all, dicts=True)
