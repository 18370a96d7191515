// list: what is built in, and the options of each part.
#include <taffrail/profiler.h>
#include <taffrail/reader.h>
#include <taffrail/routine.h>
#include <taffrail/sink.h>

#include "base/strings.h"
#include "cli/commands.h"
#include "cli/text_format.h"
#include "codec/json_writer.h"

#include <algorithm>
#include <array>

namespace taffrail::cli {
namespace {

struct Part {
    std::string group, name, other_name, summary;
    std::vector<OptionInfo> options;
};

std::vector<Part> registered_parts() {
    std::vector<Part> parts;
    for (const SinkInfo& sink : registered_sinks()) {
        parts.push_back({"sinks", sink.name, sink.class_name, sink.summary, sink.options});
    }
    for (const SourceInfo& source : registered_sources()) {
        parts.push_back({"sources", source.name, "", source.summary, source.options});
    }
    for (const RoutineInfo& routine : registered_routines()) {
        parts.push_back(
            {"routines", routine.key, routine.class_name, routine.summary, routine.options});
    }
    for (const ProfilerInfo& profiler : registered_profilers()) {
        parts.push_back({"profilers", profiler.name, "", profiler.summary, {}});
    }
    return parts;
}

constexpr std::array<std::string_view, 4> kGroups = {"sinks", "sources", "routines", "profilers"};

class List final : public Command {
  public:
    std::string_view name() const override { return "list"; }

    std::string_view summary() const override {
        return "Lists what is built in (sinks, sources, routines, profilers) and its options";
    }

    std::string_view example() const override {
        return "taffrail list sinks\ntaffrail list tensorboard";
    }

    void declare(Arguments& arguments) override {
        arguments.positional("WHAT", what_,
                             "sinks, sources, routines or profilers; or a name, to see its options",
                             false);
        arguments.flag("--json", json_, "for machines");
    }

    ExitCode run(Session& session) override {
        const bool is_group = std::ranges::find(kGroups, what_) != kGroups.end();
        std::vector<Part> parts = registered_parts();
        std::vector<std::string> known(kGroups.begin(), kGroups.end());
        for (const Part& part : parts) {
            known.push_back(part.name);
        }
        if (!what_.empty()) {
            std::erase_if(parts, [&](const Part& part) {
                return is_group ? part.group != what_
                                : part.name != what_ && part.other_name != what_;
            });
        }
        if (parts.empty()) {
            return session.wrong_usage("list: nothing is called '" + what_ + "'" +
                                       did_you_mean(what_, known));
        }
        if (json_) {
            session.print(as_json(parts) + "\n");
        } else if (what_.empty() || is_group) {
            print_parts(session, parts);
        } else {
            for (const Part& part : parts) {
                print_options(session, part);
            }
        }
        return ExitCode::Ok;
    }

  private:
    static void print_parts(const Session& session, const std::vector<Part>& parts) {
        TextTable table;
        for (const char* title : {"GROUP", "NAME", "IN CONFIGURATIONS", "WHAT IT IS"}) {
            table.column(title);
        }
        for (const Part& part : parts) {
            table.row({{part.group, Style::Dim},
                       {part.name, Style::Bold},
                       part.other_name,
                       part.summary});
        }
        session.print(table.render(session, "", Fit::Whole));
    }

    static void print_options(const Session& session, const Part& part) {
        session.print(session.styled(Style::Bold, part.name) +
                      (part.other_name.empty() ? "" : " (" + part.other_name + ")") +
                      ", one of the " + part.group + ": " + part.summary + "\n");
        if (part.options.empty()) {
            session.print("It takes no options.\n");
            return;
        }
        TextTable table;
        for (const char* title : {"OPTION", "TYPE", "DEFAULT", "WHAT IT IS"}) {
            table.column(title);
        }
        for (const OptionInfo& option : part.options) {
            table.row(
                {{option.name, Style::Bold},
                 std::string(to_string(option.type)) + (option.rules.secret ? ", secret" : ""),
                 option.rules.secret ? std::string() : option.fallback,
                 option.help});
        }
        session.print(table.render(session, "", Fit::Whole));
    }

    static std::string as_json(const std::vector<Part>& parts) {
        JsonWriter json(1);
        json.begin_array();
        for (const Part& part : parts) {
            json.begin_object()
                .member("group", part.group)
                .member("name", part.name)
                .member("class_name", part.other_name)
                .member("summary", part.summary);
            json.key("options").begin_array();
            for (const OptionInfo& option : part.options) {
                json.begin_object()
                    .member("name", option.name)
                    .member("type", to_string(option.type))
                    .member("default", option.rules.secret ? std::string() : option.fallback)
                    .member("help", option.help)
                    .member("secret", option.rules.secret)
                    .end_object();
            }
            json.end_array().end_object();
        }
        return json.end_array().text();
    }

    std::string what_;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_list() {
    return std::make_unique<List>();
}

}  // namespace taffrail::cli
