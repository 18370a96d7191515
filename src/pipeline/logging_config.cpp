// The two shapes of configuration: a `logging:` block with writers, and a `logger:` block with
// routines.
#include <taffrail/event_writer.h>
#include <taffrail/logger.h>
#include <taffrail/profiler.h>

#include "base/strings.h"
#include "base/try.h"
#include "builtins/builtins.h"
#include "system/secrets.h"

#include <algorithm>
#include <array>

namespace taffrail {
namespace {

Result<std::int64_t> positive(const Config& block, std::string_view name, std::int64_t fallback) {
    TAFFRAIL_ASSIGN(const std::int64_t value, block.int_or(name, fallback));
    if (value < 1) {
        return block.find(name)->error("'" + std::string(name) + "' must be at least 1, found " +
                                       std::to_string(value));
    }
    return value;
}

// Options of a part as text, lists as "[a, b]". What the part declared is checked here, where the
// place in the file is still known.
Result<OptionMap> option_map(const Config& block, const std::string& owner,
                             const std::vector<OptionInfo>& declared) {
    OptionMap options;
    for (std::size_t i = 0; i < block.size(); ++i) {
        const Config& value = block.at(i);
        if (value.is_null()) {
            continue;
        }
        if (value.is_list()) {
            TAFFRAIL_ASSIGN(const std::vector<std::string> items, value.as_text_list());
            std::string text;
            for (const std::string& item : items) {
                text += (text.empty() ? "" : ", ") + item;
            }
            options.emplace_back(block.names()[i], "[" + text + "]");
        } else {
            TAFFRAIL_ASSIGN(std::string text, value.as_text());
            options.emplace_back(block.names()[i], std::move(text));
        }
        const auto& [name, text] = options.back();
        if (!declared.empty()) {
            if (const auto read = read_option(owner, declared, name, text); !read.ok()) {
                return value.error(read.error().message);
            }
        }
    }
    return options;
}

Result<LoggingOptions::Writer> writer_options(const std::string& name, const Config& block) {
    const bool has_folder =
        block.is_map() && block.find("log_dir") != nullptr && !block.find("log_dir")->is_null();
    const auto sinks = registered_sinks();
    std::vector<std::string> known;
    for (const SinkInfo& info : sinks) {
        known.push_back(info.class_name);
        if (info.name == name || info.class_name == name) {
            // One that sends to a server has no folder.
            const bool wants_folder =
                info.options.empty() || find_option(info.options, "log_dir") != nullptr;
            if (!block.is_map() || (wants_folder && !has_folder)) {
                return block.error("writer '" + name + "' needs " +
                                   (wants_folder ? "a 'log_dir': the folder its output goes to"
                                                 : "its options: a block of names and values"));
            }
            LoggingOptions::Writer writer{name, {}};
            TAFFRAIL_ASSIGN(writer.options, option_map(block, name, info.options));
            if (auto made = info.make(writer.options); !made.ok()) {
                return block.error(made.error().message);
            }
            return writer;
        }
    }
    std::string list;
    for (const std::string& each : known) {
        list += (list.empty() ? "" : ", ") + each;
    }
    return block.error("unknown writer '" + name + "'" + did_you_mean(name, known) +
                       " (known: " + list + ")");
}

// Either spelling. A profiler that this build lacks is refused where its place is still known.
Result<std::string> profiler_name(const Config& logging) {
    TAFFRAIL_ASSIGN(const bool enabled, logging.bool_or("enable_profiler", false));
    TAFFRAIL_ASSIGN(std::string name, logging.text_or("profiler", enabled ? "basic" : "none"));
    if (const auto made = make_profiler(name); !made.ok()) {
        const Config* named = logging.find("profiler");
        const bool by_name = named != nullptr && !named->is_null();
        return by_name ? named->error(made.error().message)
                       : logging.find("enable_profiler")
                             ->error("'enable_profiler: true' asks for the profiler '" + name +
                                     "': " + made.error().message);
    }
    return name;
}

// `_target_` names a Python class in configurations that come from there; it has no meaning here.
constexpr std::array<std::string_view, 2> kLoggerNames = {"config", "_target_"};

// Names of `config:` that belong to the Logger; the others are options of its interface.
constexpr std::array<std::string_view, 10> kOwnNames = {
    "loggers",          "tracked_variables",  "routine_options",
    "log_every_n_iter", "log_every_n_epochs", "print_every_n_seconds",
    "gpu_summarize",    "print_epochs",       "name",
    "version"};

Result<void> check_tracked(const Config& tracked, const std::vector<std::string>& routines) {
    for (std::size_t i = 0; i < tracked.size(); ++i) {
        const std::string& name = tracked.names()[i];
        if (std::ranges::find(routines, name) == routines.end()) {
            return tracked.at(i).error("tracked_variables names '" + name +
                                       "', which is not in the list of loggers" +
                                       did_you_mean(name, routines));
        }
    }
    return {};
}

Result<std::map<std::string, OptionMap>> routine_options(const Config& block,
                                                         const std::vector<std::string>& routines) {
    std::map<std::string, OptionMap> options;
    if (!block.is_map()) {
        return block.error("'routine_options' must be a map from routines to their options");
    }
    for (std::size_t i = 0; i < block.size(); ++i) {
        const std::string& key = block.names()[i];
        if (std::ranges::find(routines, key) == routines.end()) {
            return block.at(i).error("routine_options names '" + key +
                                     "', which is not in the list of loggers" +
                                     did_you_mean(key, routines));
        }
        const auto known = registered_routines();
        const auto info = std::ranges::find(known, key, &RoutineInfo::key);
        TAFFRAIL_ASSIGN(options[key], option_map(block.at(i), key, info->options));
        if (auto made = make_routine(key, options[key]); !made.ok()) {
            return block.at(i).error(made.error().message);
        }
    }
    return options;
}

// Names that belong one level deeper are the commonest slip: they are named before all others.
Result<void> check_block(const std::string& interface, const Config& block) {
    for (std::size_t i = 0; block.is_map() && i < block.size(); ++i) {
        const std::string& name = block.names()[i];
        if (std::ranges::find(kOwnNames, name) != kOwnNames.end()) {
            return block.at(i).error("'" + name + "' of logger '" + interface +
                                     "' belongs inside its 'config:'");
        }
        if (name == "interface") {
            return block.at(i).error("the name of the block, '" + interface +
                                     "', is the interface of the logger; leave 'interface' out");
        }
    }
    return block.check_names(kLoggerNames, "logger '" + interface + "'");
}

/// What the Logger does not know goes to its interface, which is asked here, where the place in the
/// file is still known.
Result<OptionMap> interface_options(const std::string& interface, const Config& config) {
    Config rest = config;
    for (const std::string_view name : kOwnNames) {
        rest.erase(name);
    }
    const std::vector<std::string> own(kOwnNames.begin(), kOwnNames.end());
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const std::string& name = rest.names()[i];
        if (rest.at(i).is_map() || suggestion(name, own)) {
            return rest.at(i).error("unknown name '" + name + "' in 'config' of logger '" +
                                    interface + "'" + did_you_mean(name, own));
        }
    }
    const auto sink = builtins::find_sink(interface);
    TAFFRAIL_ASSIGN(OptionMap options,
                    option_map(rest, interface, sink ? sink->options : std::vector<OptionInfo>()));
    if (sink) {
        if (auto made = sink->make(options); !made.ok()) {
            return config.error(made.error().message);
        }
    }
    return options;
}

Result<LoggerOptions> logger_of(const std::string& interface, const Config& block) {
    TAFFRAIL_TRY(check_block(interface, block));
    LoggerOptions options{.name = interface, .interface = interface};
    const Config* config = block.find("config");
    if (config == nullptr) {
        return options;
    }
    if (!config->is_map()) {
        return config->error("'config' must be a map");
    }
    if (const Config* loggers = config->find("loggers")) {
        TAFFRAIL_ASSIGN(options.routines, loggers->as_text_list());
        for (std::size_t i = 0; i < loggers->size(); ++i) {
            if (auto routine = make_routine(options.routines[i]); !routine.ok()) {
                return loggers->at(i).error(routine.error().message);
            }
        }
    }
    if (const Config* tracked = config->find("tracked_variables");
        tracked != nullptr && !tracked->is_null()) {
        TAFFRAIL_TRY(check_tracked(*tracked, options.routines));
        for (std::size_t i = 0; i < tracked->size(); ++i) {
            TAFFRAIL_ASSIGN(options.tracked_variables[tracked->names()[i]],
                            tracked->at(i).as_text_list());
        }
    }
    if (const Config* given = config->find("routine_options");
        given != nullptr && !given->is_null()) {
        TAFFRAIL_ASSIGN(options.routine_options, routine_options(*given, options.routines));
    }
    TAFFRAIL_ASSIGN(options.name, config->text_or("name", interface));
    TAFFRAIL_ASSIGN(options.version, config->text_or("version", ""));
    TAFFRAIL_ASSIGN(options.log_every_n_iter, config->int_or("log_every_n_iter", 1));
    TAFFRAIL_ASSIGN(options.log_every_n_epochs, config->int_or("log_every_n_epochs", 1));
    TAFFRAIL_ASSIGN(options.print_every_n_seconds, config->double_or("print_every_n_seconds", 0));
    TAFFRAIL_ASSIGN(options.gpu_summarize, config->bool_or("gpu_summarize", true));
    TAFFRAIL_ASSIGN(options.print_epochs, config->bool_or("print_epochs", true));
    TAFFRAIL_ASSIGN(options.interface_options, interface_options(interface, *config));
    return options;
}

}  // namespace

Result<LoggingOptions> logging_options(const Config& logging) {
    constexpr std::array<std::string_view, 6> kNames = {"steps_per_log", "max_buffer_size",
                                                        "writer",        "enable_profiler",
                                                        "profiler",      "max_iterations"};
    LoggingOptions options;
    if (logging.is_null()) {
        return options;
    }
    if (!logging.is_map()) {
        return logging.error("'logging' must be a map");
    }
    TAFFRAIL_TRY(logging.check_names(kNames, "'logging'"));
    TAFFRAIL_ASSIGN(options.steps_per_log,
                    positive(logging, "steps_per_log", options.steps_per_log));
    TAFFRAIL_ASSIGN(options.max_buffer_size,
                    positive(logging, "max_buffer_size", options.max_buffer_size));
    TAFFRAIL_ASSIGN(options.max_iterations, logging.int_or("max_iterations", 0));
    TAFFRAIL_ASSIGN(options.profiler, profiler_name(logging));
    if (const Config* writers = logging.find("writer"); writers != nullptr && !writers->is_null()) {
        if (!writers->is_map()) {
            return writers->error("'writer' must be a map of writers");
        }
        for (std::size_t i = 0; i < writers->size(); ++i) {
            TAFFRAIL_ASSIGN(LoggingOptions::Writer writer,
                            writer_options(writers->names()[i], writers->at(i)));
            options.writers.push_back(std::move(writer));
        }
    }
    return options;
}

Result<std::vector<LoggerOptions>> logger_options(const Composed& composed) {
    std::vector<LoggerOptions> all;
    const Config* block = composed.config.find("logger");
    const std::string choice = composed.choice("logger");
    std::vector<std::string> chosen;
    for (const std::string_view name : split(choice, ',')) {
        if (!trim(name).empty()) {
            chosen.emplace_back(trim(name));
        }
    }
    if (block != nullptr && !block->is_null()) {
        if (!block->is_map()) {
            return block->error("'logger' must be a map with the block of the chosen interface");
        }
        for (std::size_t i = 0; i < block->size(); ++i) {
            const std::string& name = block->names()[i];
            if (!choice.empty() && std::ranges::find(chosen, name) == chosen.end()) {
                return block->at(i).error(
                    "the block 'logger." + name + "' does not match the chosen logger '" + choice +
                    "': rename the block, or choose it with 'override /logger: " + name + "'");
            }
            TAFFRAIL_ASSIGN(LoggerOptions options, logger_of(name, block->at(i)));
            all.push_back(std::move(options));
        }
    }
    for (const std::string& name : chosen) {
        const bool there = std::ranges::any_of(
            all, [&](const LoggerOptions& each) { return each.interface == name; });
        if (!there && name != "none") {
            all.push_back({.name = name, .interface = name});
        }
    }
    return all;
}

std::vector<std::string> interface_names() {
    std::vector<std::string> names;
    for (const SinkInfo& info : registered_sinks()) {
        names.push_back(info.name);
    }
    for (const char* tracker : {"aim", "comet", "mlflow", "neptune", "wandb"}) {
        if (std::ranges::find(names, tracker) == names.end()) {
            names.emplace_back(tracker);
        }
    }
    return names;
}

ComposeOptions with_known_parts(ComposeOptions options) {
    auto& loggers = options.sources.known_options["logger"];
    for (std::string& name : interface_names()) {
        loggers.push_back(std::move(name));
    }
    loggers.emplace_back("none");
    for (const auto& profiler : registered_profilers()) {
        options.sources.known_options["profiler"].push_back(profiler.name);
    }
    return options;
}

Hparams recordable(const Config& config) {
    Hparams values = config.flattened();
    system::scrub_cells(values);
    return values;
}

Result<std::vector<std::shared_ptr<Logger>>> make_loggers(Run& run, const Composed& composed) {
    TAFFRAIL_ASSIGN(const std::vector<LoggerOptions> all, logger_options(composed));
    std::vector<std::shared_ptr<Logger>> loggers;
    for (const LoggerOptions& options : all) {
        TAFFRAIL_ASSIGN(std::unique_ptr<Logger> logger, Logger::make(run, options));
        logger->log_hparams(recordable(composed.config));
        loggers.push_back(std::move(logger));
    }
    return loggers;
}

}  // namespace taffrail
