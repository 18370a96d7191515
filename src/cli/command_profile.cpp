// profile: tables, flame graphs, comparisons and conversions of profiles.
#include "base/strings.h"
#include "cli/commands.h"
#include "cli/profile/actions.h"
#include "cli/text_format.h"

namespace taffrail::cli {
namespace {

std::vector<std::string> names_of_formats(bool writable) {
    std::vector<std::string> names;
    for (const profile::Format& format : profile::formats()) {
        if (writable ? format.write != nullptr : format.read != nullptr) {
            names.emplace_back(format.name);
        }
    }
    return names;
}

class ProfileCommand final : public Command {
  public:
    std::string_view name() const override { return "profile"; }

    std::string_view summary() const override {
        return "Reads profiles: an analysis with advice, a table, a flame graph, a comparison, "
               "other "
               "formats";
    }

    std::string_view example() const override {
        return "taffrail profile analyze run.pt.trace.json.gz -n 10\n"
               "taffrail profile table trace.pt.trace.json.gz -n 10\n"
               "taffrail profile flame run.prof -o run.svg\n"
               "taffrail profile diff before.pb.gz after.pb.gz\n"
               "taffrail profile convert perf.folded -o perf.speedscope.json";
    }

    void declare(Arguments& arguments) override {
        arguments.choice("ACTION", request_.action,
                         {"analyze", "table", "flame", "trace", "diff", "convert"}, "what to do");
        arguments.make_positional(true);
        arguments.positional("PROFILES", request_.inputs,
                             "a file, - for standard input, or a run, whose newest profile (for "
                             "analyze and trace: trace) is meant; two for diff, one or two for "
                             "flame, one of each worker for analyze",
                             true);
        declare_targets(arguments, request_.where);
        arguments.path_option("-o,--output", request_.output, "PATH",
                              "for flame, convert and trace: file to write (default: standard "
                              "output, of trace its tracks); its name tells the format, and .gz "
                              "packs it");
        arguments.choice("--to", request_.to, names_of_formats(true), "format to write");
        arguments.choice("--from", request_.from, names_of_formats(false),
                         "format to read (default: found by content)");
        arguments.option("--value", request_.value, "NAME",
                         "which weights, by name or unit (default: time)");
        arguments.option("--before", request_.before, "PROFILE",
                         "for analyze: an earlier trace of the same program, to compare with");
        arguments.choice("--sort", request_.sort, {"self", "total", "calls", "name"},
                         "order of the table");
        arguments.count("-n,--limit", request_.limit, "N", "rows of a table (default: 30, 0: all)");
        arguments.flag("--threads", request_.by_thread, "a tower for each thread");
        arguments.flag("--icicle", request_.is_icicle, "roots at the top");
        arguments.option("--title", request_.title, "TEXT", "title of the picture");
        declare_wide(arguments, request_.wide);
        arguments.flag("--json", request_.json,
                       "for machines: the table, or what was written and what was wrong");
    }

    ExitCode run(Session& session) override {
        const std::size_t count = request_.inputs.size();
        if (const std::string wrong = wrong_option(); !wrong.empty()) {
            return session.wrong_usage("profile " + request_.action + ": " + wrong);
        }
        if (request_.action == "analyze") {
            return analyze_profiles(session, request_);
        }
        const std::size_t most = request_.action == "diff" || request_.action == "flame" ? 2 : 1;
        if (count > most || (request_.action == "diff" && count != 2)) {
            return session.wrong_usage("profile " + request_.action + ": takes " +
                                       (request_.action == "diff"    ? "two profiles"
                                        : request_.action == "flame" ? "one or two profiles"
                                                                     : "one profile"));
        }
        if (request_.action == "trace") {
            return show_trace(session, request_);
        }
        if (request_.action == "table") {
            return print_profile_table(session, request_);
        }
        if (request_.action == "diff") {
            return print_profile_difference(session, request_);
        }
        return request_.action == "flame" ? draw_flame(session, request_)
                                          : convert_profile(session, request_);
    }

  private:
    /// An option that the action has no use for, in words: it would be ignored in silence.
    [[nodiscard]] std::string wrong_option() const {
        const bool draws = request_.action == "flame" || request_.action == "convert";
        if (!request_.output.empty() && !draws && request_.action != "trace") {
            return "prints its answer, > FILE keeps it; -o is for flame, convert and trace";
        }
        if (!request_.to.empty() && !draws) {
            return "--to is for flame and convert";
        }
        return !request_.before.empty() && request_.action != "analyze" ? "--before is for analyze"
                                                                        : "";
    }

    ProfileRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_profile() {
    return std::make_unique<ProfileCommand>();
}

}  // namespace taffrail::cli
