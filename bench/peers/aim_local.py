from common import TAGS, measure


def log_all(folder, data):
    from aim import Run

    run = Run(repo=folder, system_tracking_interval=None, log_system_params=False, capture_terminal_logs=False)
    for step, values in enumerate(data):
        for tag, value in zip(TAGS, values):
            run.track(value, name=tag, step=step)
    run.close()


measure(log_all)
