#include <taffrail/profiler.h>
#include <taffrail/reader.h>
#include <taffrail/routine.h>
#include <taffrail/sink.h>

#include "cli/commands.h"
#include "cli/text_format.h"
#include "codec/json_writer.h"

namespace taffrail::cli {
namespace {

struct Part {
    std::string group, name, other_name, summary;
};

std::vector<Part> registered_parts() {
    std::vector<Part> parts;
    for (const SinkInfo& sink : registered_sinks()) {
        parts.push_back({"sinks", sink.name, sink.class_name, sink.summary});
    }
    for (const SourceInfo& source : registered_sources()) {
        parts.push_back({"sources", source.name, "", source.summary});
    }
    for (const RoutineInfo& routine : registered_routines()) {
        parts.push_back({"routines", routine.key, routine.class_name, routine.summary});
    }
    for (const ProfilerInfo& profiler : registered_profilers()) {
        parts.push_back({"profilers", profiler.name, "", profiler.summary});
    }
    return parts;
}

class List final : public Command {
  public:
    std::string_view name() const override { return "list"; }

    std::string_view summary() const override {
        return "Lists what is built in: sinks, sources, routines, profilers";
    }

    std::string_view example() const override { return "taffrail list sinks"; }

    void declare(Arguments& arguments) override {
        arguments.choice("WHAT", what_, {"sinks", "sources", "routines", "profilers"},
                         "one group only");
        arguments.make_positional(false);
        arguments.flag("--json", json_, "for machines");
    }

    ExitCode run(Session& session) override {
        TextTable table;
        for (const char* title : {"GROUP", "NAME", "IN CONFIGURATIONS", "WHAT IT IS"}) {
            table.column(title);
        }
        JsonWriter json(1);
        json.begin_array();
        for (const Part& part : registered_parts()) {
            if (!what_.empty() && part.group != what_) {
                continue;
            }
            table.row({{part.group, Style::Dim},
                       {part.name, Style::Bold},
                       part.other_name,
                       part.summary});
            json.begin_object()
                .member("group", part.group)
                .member("name", part.name)
                .member("class_name", part.other_name);
            json.member("summary", part.summary).end_object();
        }
        session.print(json_ ? json.end_array().text() + "\n"
                            : table.render(session, "", Fit::Whole));
        return ExitCode::Ok;
    }

  private:
    std::string what_;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_list() {
    return std::make_unique<List>();
}

}  // namespace taffrail::cli
