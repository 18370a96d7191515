from common import TAGS, measure


def log_all(folder, data):
    from tensorboardX import SummaryWriter

    writer = SummaryWriter(folder, max_queue=1000, flush_secs=600)
    for step, values in enumerate(data):
        for tag, value in zip(TAGS, values):
            writer.add_scalar(tag, value, step)
    writer.close()


measure(log_all)
