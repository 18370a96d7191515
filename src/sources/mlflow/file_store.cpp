// Runs in folders: `<experiment>/<run>/meta.yaml`, with a file for each metric, parameter and tag.
#include "base/strings.h"
#include "io/files.h"
#include "io/inside.h"
#include "sources/mlflow/discovery.h"
#include "sources/mlflow/flat_yaml.h"
#include "sources/mlflow/run_builder.h"

#include <limits>
#include <optional>

namespace taffrail::sources::mlflow {
namespace {

constexpr int kDeepestName = 20;
constexpr std::size_t kMostNames = 100'000;
constexpr std::uint64_t kLargestMetric = std::uint64_t{4} << 30;
constexpr std::uint64_t kLargestText = std::uint64_t{16} << 20;

/// Files below `folder` by their path, which is their name there.
void list_names(const std::string& run, const std::string& folder, const std::string& below,
                int depth, std::vector<std::string>& to) {
    const auto entries = io::list_inside(run, below.empty() ? folder : io::join(folder, below));
    for (const io::DirectoryEntry& entry :
         entries.ok() && depth < kDeepestName ? *entries : std::vector<io::DirectoryEntry>()) {
        const std::string name = below.empty() ? entry.name : below + "/" + entry.name;
        if (to.size() >= kMostNames) {
            return;
        }
        if (entry.type == io::EntryType::Directory && !io::is_link(io::join(folder, name))) {
            list_names(run, folder, name, depth + 1, to);
        } else if (entry.type == io::EntryType::File) {
            to.push_back(name);
        }
    }
}

std::vector<std::string> names_in(const std::string& run, const std::string& folder) {
    std::vector<std::string> names;
    list_names(run, folder, "", 0, names);
    return names;
}

std::optional<double> number_there(std::string_view text) {
    if (text == "nan" || text == "inf" || text == "-inf") {
        return text == "nan"   ? std::numeric_limits<double>::quiet_NaN()
               : text == "inf" ? std::numeric_limits<double>::infinity()
                               : -std::numeric_limits<double>::infinity();
    }
    return parse_double(text);
}

/// "time value", "time value step", or with two more words about a dataset.
bool take_line(std::string_view name, std::string_view line, RunBuilder& builder) {
    const auto words = split(line, ' ');
    if (words.size() != 2 && words.size() != 3 && words.size() != 5) {
        return false;
    }
    const auto time = parse_int(words[0]);
    const auto value = number_there(words[1]);
    const auto step = words.size() > 2 ? parse_int(words[2]) : std::optional<std::int64_t>(0);
    if (!time || !value || !step) {
        return false;
    }
    builder.metric(name, *value, *time, *step, false);
    return true;
}

std::shared_ptr<model::GatheredContent> read_folder_run(const std::string& folder,
                                                        const std::string& experiment) {
    RunBuilder builder;
    model::GatheredContent& content = builder.content();
    const FlatYaml meta = read_flat_yaml(folder, io::join(folder, "meta.yaml"));
    const auto text = [&](std::string_view name) {
        const auto found = meta.find(name);
        return found != meta.end() ? found->second : std::string();
    };
    content.info.id = !text("run_id").empty()     ? text("run_id")
                      : !text("run_uuid").empty() ? text("run_uuid")
                                                  : folder.substr(folder.rfind('/') + 1);
    content.info.location = folder;
    content.info.name = text("run_name");
    content.info.project = experiment;
    content.info.deleted = text("lifecycle_stage") == "deleted";
    content.files = {io::join(folder, "meta.yaml")};
    builder.status(text("status"));
    builder.times(parse_int(text("start_time")).value_or(0),
                  parse_int(text("end_time")).value_or(0));
    if (!text("user_id").empty()) {
        content.environment.emplace_back("user", text("user_id"));
    }
    const auto each_text = [&](const std::string& what, const auto& take) {
        const std::string inside = io::join(folder, what);
        for (const std::string& name : names_in(folder, inside)) {
            const auto bytes = io::read_inside(folder, io::join(inside, name), kLargestText);
            if (bytes.ok()) {
                take(name, as_text(*bytes));
            } else {
                content.damaged(io::join(inside, name), bytes.error().message);
            }
        }
    };
    each_text("tags",
              [&](std::string_view name, std::string_view value) { builder.tag(name, value); });
    each_text("params", [&](std::string_view name, std::string_view value) {
        builder.parameter(name, value);
    });
    const std::string metrics = io::join(folder, "metrics");
    for (const std::string& name : names_in(folder, metrics)) {
        const std::string path = io::join(metrics, name);
        content.files.push_back(path);
        const auto bytes = io::read_inside(folder, path, kLargestMetric);
        if (!bytes.ok()) {
            content.damaged(path, bytes.error().message);
            continue;
        }
        std::size_t bad = 0;
        std::string_view rest = as_text(*bytes);
        // A line without its end is still being written.
        for (std::size_t end = rest.find('\n'); end != std::string_view::npos;
             end = rest.find('\n')) {
            const std::string_view line = trim(rest.substr(0, end));
            bad += line.empty() || take_line(name, line, builder) ? 0 : 1;
            rest.remove_prefix(end + 1);
        }
        if (bad > 0) {
            content.damaged(path, std::to_string(bad) + " lines that are no points");
        }
    }
    builder.artifacts(io::join(folder, "artifacts"));
    return std::move(builder).finish();
}

}  // namespace

std::vector<model::FoundRun> runs_of_folder(const std::string& root) {
    std::vector<model::FoundRun> all;
    const auto experiments = io::list_inside(root, root);
    for (const io::DirectoryEntry& entry :
         experiments.ok() ? *experiments : std::vector<io::DirectoryEntry>()) {
        const std::string folder = io::join(root, entry.name);
        if (entry.type != io::EntryType::Directory || entry.name == "models") {
            continue;
        }
        const FlatYaml meta = read_flat_yaml(root, io::join(folder, "meta.yaml"));
        const auto name = meta.find("name");
        if (!meta.contains("experiment_id")) {
            continue;
        }
        const auto runs = io::list_inside(root, folder);
        for (const io::DirectoryEntry& run :
             runs.ok() ? *runs : std::vector<io::DirectoryEntry>()) {
            const std::string inside = io::join(folder, run.name);
            if (run.type != io::EntryType::Directory || io::is_link(inside) ||
                !io::exists_inside(root, io::join(inside, "meta.yaml"))) {
                continue;
            }
            const FlatYaml about = read_flat_yaml(root, io::join(inside, "meta.yaml"));
            if (about.contains("run_id") || about.contains("run_uuid")) {
                const std::string experiment = name != meta.end() ? name->second : entry.name;
                all.push_back({inside,
                               [inside, experiment] { return read_folder_run(inside, experiment); },
                               {}});
            }
        }
    }
    return all;
}

}  // namespace taffrail::sources::mlflow
