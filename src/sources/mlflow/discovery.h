// Where MLflow keeps runs: SQLite files, and folders of experiments.
#pragma once

#include "model/gathered_catalogue.h"

#include <string>
#include <vector>

namespace taffrail::sources::mlflow {

struct Places {
    std::vector<std::string> databases;
    std::vector<std::string> file_stores;  ///< folders of experiments
};

/// `path` itself, its `mlflow.db` and its `mlruns`.
Places places_in(const std::string& path);
/// 0 = not MLflow's, 100 = certainly.
int recognise(const std::string& path);

/// The runs of an SQLite file.
std::vector<model::FoundRun> runs_of_database(const std::string& path);
/// The runs of a folder of experiments.
std::vector<model::FoundRun> runs_of_folder(const std::string& root);

/// Whether it has a folder with a `meta.yaml` that tells of an experiment.
bool is_file_store(const std::string& path);

}  // namespace taffrail::sources::mlflow
