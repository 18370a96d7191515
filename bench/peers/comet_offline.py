from common import TAGS, measure


def log_all(folder, data):
    import comet_ml

    experiment = comet_ml.OfflineExperiment(project_name="bench", workspace="bench", offline_directory=folder, log_code=False, log_graph=False,
                                            auto_param_logging=False, auto_metric_logging=False, parse_args=False, auto_output_logging=False,
                                            log_env_details=False, log_git_metadata=False, log_git_patch=False, display_summary_level=0, disabled=False)
    for step, values in enumerate(data):
        experiment.log_metrics(dict(zip(TAGS, values)), step=step)
    experiment.end()


measure(log_all, dicts=True)
