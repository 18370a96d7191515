#include "builtins/builtins.h"

namespace taffrail::builtins {
namespace {

// Bars and line ends would break the table.
std::string cell(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        safe += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
    }
    return safe;
}

std::string code(std::string_view text) {
    return text.empty() ? "" : "`" + cell(text) + "`";
}

void add_part(std::string& page, std::string_view group, const std::string& name,
              const std::string& class_name, const std::string& summary,
              const std::vector<OptionInfo>& options) {
    page += "\n## " + std::string(group) + " `" + name + "`" +
            (class_name.empty() ? "" : " (`" + class_name + "`)") + "\n" + summary + ".\n";
    if (options.empty()) {
        page += "\nIt takes no options.\n";
        return;
    }
    page += "\n| option | type | default | what it is |\n| --- | --- | --- | --- |\n";
    for (const OptionInfo& option : options) {
        std::string help = cell(option.help);
        if (!option.rules.other_names.empty()) {
            help += " (also";
            for (const std::string& other : option.rules.other_names) {
                help += " `" + other + "`";
            }
            help += ")";
        }
        page += "| `" + option.name + "` | " + std::string(to_string(option.type)) +
                (option.rules.secret ? ", secret" : "") + " | " +
                code(option.rules.secret ? "" : option.fallback) + " | " + help + " |\n";
    }
}

}  // namespace

std::string options_page() {
    std::string page =
        "# Options\n\nOf every sink, source and routine in the build, as `taffrail list NAME` "
        "shows "
        "them. Made from their declarations: a test compares.\nA secret is never printed and never "
        "stored.\n";
    for (const SinkInfo& sink : registered_sinks()) {
        add_part(page, "Sink", sink.name, sink.class_name, sink.summary, sink.options);
    }
    for (const SourceInfo& source : registered_sources()) {
        add_part(page, "Source", source.name, "", source.summary, source.options);
    }
    for (const RoutineInfo& routine : registered_routines()) {
        add_part(page, "Routine", routine.key, routine.class_name, routine.summary,
                 routine.options);
    }
    return page;
}

}  // namespace taffrail::builtins
