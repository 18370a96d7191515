// Composition: expand `defaults:` until the chosen options stand still, then merge in order,
// override, resolve.
//
// An `override /group: option` deep inside an experiment may change which file an earlier line
// loads. So the tree is walked again whenever a walk changed a choice; choices of the command line
// always win.
#include <taffrail/config.h>

#include "base/strings.h"
#include "base/try.h"
#include "config/defaults.h"
#include "config/files.h"
#include "config/overrides.h"
#include "io/files.h"

#include <algorithm>

namespace taffrail {
namespace {

/// The group whose options are merged at the top. It is known before any of its files is found.
constexpr std::string_view kExperiment = "experiment";
constexpr const char* kGiveFolder =
    "; give its folder with --config-dir DIR or in TAFFRAIL_CONFIG_PATH";

using Choices = std::map<std::string, std::vector<std::string>>;

std::string join(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

class Composer {
  public:
    explicit Composer(const ComposeOptions& options)
        : options_(options), finder_(options.sources) {}

    Result<Composed> run() {
        TAFFRAIL_TRY(sort_overrides());
        TAFFRAIL_ASSIGN(ConfigFile primary, find_primary(options_.primary));
        std::optional<ConfigFile> base;
        if (!options_.base.empty() && options_.base != options_.primary) {
            TAFFRAIL_ASSIGN(base, find_primary(options_.base));
        }
        constexpr int kMostPasses = 16;
        Config merged;
        for (int pass = 0;; ++pass) {
            if (pass == kMostPasses) {
                return primary.config.error(
                    "the overrides in 'defaults' lists change each other without end");
            }
            changed_ = false;
            used_.clear();
            merged = Config::map();
            if (base) {
                TAFFRAIL_TRY(expand(*base, "", "", merged, 0));
            }
            TAFFRAIL_TRY(expand(primary, "", "", merged, 0));
            for (const auto& [group, chosen] : command_line_) {
                if (!used_.contains(group)) {
                    TAFFRAIL_TRY(expand_group(group, chosen, "", Config(), false, merged, 0));
                }
            }
            if (!changed_) {
                break;
            }
        }
        for (const Override& change : values_) {
            TAFFRAIL_TRY(apply_override(merged, change, finder_.groups()));
        }
        Composed composed;
        TAFFRAIL_ASSIGN(composed.config, merged.resolved());
        for (const auto& [group, chosen] : used_) {
            composed.choices[group] = join(chosen);
        }
        return composed;
    }

  private:
    // Words that choose an option of a group, and words that change values.
    Result<void> sort_overrides() {
        const std::vector<std::string> groups = finder_.groups();
        for (const std::string& text : options_.overrides) {
            TAFFRAIL_ASSIGN(Override change, parse_override(text));
            const std::string group =
                change.key.starts_with('/') ? change.key.substr(1) : change.key;
            // A group even where none of its files is found: what it lacks is a file, not a value.
            const bool is_group =
                group == kExperiment || std::ranges::find(groups, group) != groups.end();
            if (!is_group || (change.has_value && change.value.starts_with('{'))) {
                values_.push_back(std::move(change));
                continue;
            }
            if (change.action == Override::Action::Remove) {
                command_line_[group] = {};
                continue;
            }
            std::vector<std::string> chosen;
            TAFFRAIL_ASSIGN(Config value, Config::parse_value(change.value));
            if (value.is_list()) {
                TAFFRAIL_ASSIGN(chosen, value.as_text_list());
            } else if (!value.is_null()) {
                chosen = {value.as_text().value()};
            }
            command_line_[group] = std::move(chosen);
        }
        return {};
    }

    Result<ConfigFile> find_primary(const std::string& name) {
        if (name.ends_with(".yaml") || name.ends_with(".yml")) {
            if (io::exists(name)) {
                return ConfigFinder::load(name);
            }
        }
        const std::string stem = name.ends_with(".yaml") ? name.substr(0, name.size() - 5) : name;
        TAFFRAIL_ASSIGN(std::optional<ConfigFile> found, finder_.find(stem));
        if (!found) {
            return Error{ErrorCode::NotFound, "no configuration '" + stem + ".yaml' in " +
                                                  finder_.searched() + kGiveFolder};
        }
        return *std::move(found);
    }

    // Merges `file` and everything its defaults name into `out`. `folder` is the group the file
    // lies in, `package` the dotted place its values go to.
    Result<void> expand(ConfigFile file, const std::string& folder, const std::string& package,
                        Config& out, int depth) {
        if (depth > 32) {
            return file.config.error("'defaults' lists name each other in a circle");
        }
        TAFFRAIL_ASSIGN(std::vector<DefaultsEntry> entries, take_defaults(file.config));
        for (const DefaultsEntry& entry : entries) {
            switch (entry.kind) {
                case DefaultsEntry::Kind::Self:
                    TAFFRAIL_TRY(merge_at(out, package, file.config));
                    break;
                case DefaultsEntry::Kind::File: {
                    const std::string name =
                        entry.absolute || folder.empty() ? entry.group : folder + "/" + entry.group;
                    TAFFRAIL_ASSIGN(std::optional<ConfigFile> found, finder_.find(name));
                    if (!found) {
                        return entry.node.error("no configuration '" + name + ".yaml' in " +
                                                finder_.searched() + kGiveFolder);
                    }
                    TAFFRAIL_TRY(expand(*std::move(found), folder, package, out, depth + 1));
                    break;
                }
                case DefaultsEntry::Kind::Group:
                case DefaultsEntry::Kind::Override:
                    TAFFRAIL_TRY(expand_entry(entry, folder, out, depth));
                    break;
            }
        }
        return {};
    }

    Result<void> expand_entry(const DefaultsEntry& entry, const std::string& folder, Config& out,
                              int depth) {
        const bool is_override = entry.kind == DefaultsEntry::Kind::Override;
        const std::string group = entry.absolute || folder.empty() || is_override
                                      ? entry.group
                                      : folder + "/" + entry.group;
        if (is_override && !command_line_.contains(group)) {
            if (auto& chosen = overridden_[group]; chosen != entry.options) {
                chosen = entry.options;
                changed_ = true;
            }
        }
        // An override of a group that no list before it loaded also loads it, here.
        if (is_override && used_.contains(group)) {
            return {};
        }
        std::vector<std::string> chosen = entry.options;
        if (const auto found = command_line_.find(group); found != command_line_.end()) {
            return expand_group(group, found->second, entry.package, Config(), entry.optional, out,
                                depth);
        }
        if (const auto over = overridden_.find(group); over != overridden_.end()) {
            chosen = over->second;
        }
        return expand_group(group, chosen, entry.package, entry.node, entry.optional, out, depth);
    }

    Result<void> expand_group(const std::string& group, const std::vector<std::string>& chosen,
                              const std::string& package, const Config& place, bool optional,
                              Config& out, int depth) {
        used_[group] = chosen;
        for (const std::string& option : chosen) {
            TAFFRAIL_ASSIGN(std::optional<ConfigFile> found, finder_.find(group + "/" + option));
            if (!found) {
                if (optional || finder_.is_known_option(group, option)) {
                    continue;
                }
                return unknown_option(group, option, place);
            }
            std::string target = package.empty() ? group : package;
            std::ranges::replace(target, '/', '.');
            if (found->global || group == kExperiment || package == "_global_") {
                target.clear();
            }
            TAFFRAIL_TRY(expand(*std::move(found), group, target, out, depth + 1));
        }
        return {};
    }

    Error unknown_option(const std::string& group, const std::string& option, const Config& place) {
        const std::vector<std::string> options = finder_.options(group);
        const std::string message =
            "group '" + group + "' has no option '" + option + "'" + did_you_mean(option, options) +
            (options.empty() && (group == "logger" || group == "profiler")
                 ? ": the program did not say which ones it has; it does so by composing with "
                   "with_known_parts()"
             : options.empty() ? ": no file " + group + "/" + option + ".yaml in " +
                                     finder_.searched() + kGiveFolder
                               : " (known: " + join(options) + ")");
        Error error = place.error(message);
        if (place.place().file.empty()) {
            error.message = "override '" + group + "=" + option + "': " + message;
        }
        return error;
    }

    static Result<void> merge_at(Config& out, const std::string& package, const Config& values) {
        if (package.empty()) {
            out.merge(values);
            return {};
        }
        if (Config* existing = out.find(package)) {
            existing->merge(values);
            return {};
        }
        return out.set(package, values);
    }

    const ComposeOptions& options_;
    ConfigFinder finder_;
    std::vector<Override> values_;
    Choices command_line_;
    Choices overridden_;
    Choices used_;
    bool changed_ = false;
};

}  // namespace

std::string Composed::choice(std::string_view group, std::string_view fallback) const {
    const auto found = choices.find(std::string(group));
    return found == choices.end() ? std::string(fallback) : found->second;
}

Result<Composed> compose(const ComposeOptions& options) {
    return Composer(options).run();
}

}  // namespace taffrail
