// What is not data: the tags that tell of a run there, and texts of values.
#pragma once

#include <taffrail/sink.h>

#include "sinks/mlflow/options.h"
#include "sinks/mlflow/server.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::sinks::mlflow {

/// The user of this process.
std::string user_name();
/// Those of a new run: what the official client sets, and our id.
Pairs first_tags(const Options& options, const SinkContext& context, std::string_view own_id);
/// Those that a later process may say anew.
Pairs later_tags(const Options& options, const SinkContext& context);

std::pair<std::string, std::string> tag_of(const MetricDefinition& metric);
std::pair<std::string, std::string> summary_tag(std::string_view name, const Cell& cell);
std::pair<std::string, std::string> alert_tag(const Alert& alert, std::uint64_t number);
/// "NAME=VALUE" or "NAME".
std::pair<std::string, std::string> pair_of(std::string_view tag);
/// The list that MLflow's table view starts from.
std::string tables_tag(const std::vector<std::string>& paths);

/// As Python's str() writes it, which is what the official client sends.
std::string text_of(const Cell& cell);
/// Cut to `longest` bytes, not in the middle of a character.
std::string cut_text(const std::string& text, std::size_t longest);

/// The folder of a kind among the artifacts.
std::string_view folder_of(Kind kind);
/// The same for the same picture, so that sending it twice is sending it once.
std::string uuid_of(std::string_view run_id, const Record& record, std::size_t index);

}  // namespace taffrail::sinks::mlflow
