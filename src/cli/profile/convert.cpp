// `taffrail profile flame` and `convert`: from a profile to a file.
#include "cli/profile/actions.h"
#include "codec/json_writer.h"
#include "profile/flame/svg.h"

namespace taffrail::cli {
namespace {

ExitCode say_written(const Session& session, const ProfileRequest& request, std::string_view format,
                     const ProfileInput& input) {
    const bool is_file = !request.output.empty() && request.output != "-";
    if (request.json && is_file) {
        JsonWriter json(1);
        json.begin_object().member("written", request.output).member("format", format);
        json.key("notes").begin_array();
        for (const std::string& line : input.read.profile.notes.lines()) {
            json.value(line);
        }
        session.print(json.end_array().end_object().text() + "\n");
    } else if (is_file) {
        session.print("wrote " + request.output + "\n");
    }
    return input.code();
}

/// What a stranger's file could not give was said when it was read; what the target cannot hold is
/// said here.
void warn_of_new_notes(const Session& session, const ProfileInput& input, std::size_t before) {
    const auto lines = input.read.profile.notes.lines();
    for (std::size_t index = before; index < lines.size(); ++index) {
        session.warn(input.name + ": " + lines[index]);
    }
}

/// What `--to` or the name of the output asks for; null where neither says anything.
const profile::Format* wanted_format(const ProfileRequest& request) {
    return request.to.empty() ? profile::format_of_path(request.output)
                              : profile::find_format(request.to);
}

/// ".png" of a name; nothing where .gz is all that it says.
std::string ending_of(const std::string& path) {
    const std::size_t dot = path.rfind('.'), name = path.rfind('/') + 1;
    const bool has_one = dot != std::string::npos && dot > name && !path.ends_with(".gz");
    return has_one ? path.substr(dot) : std::string();
}

Result<void> write_picture(const profile::FlameLayout& layout, const profile::FlameOptions& options,
                           const profile::Format& format, profile::Profile& drawn,
                           profile::Output& out) {
    if (format.name == "html") {
        return write_flame_page(layout, options, drawn, out);
    }
    write_flame_svg(layout, options, out);
    return out.finish();
}

}  // namespace

ExitCode draw_flame(const Session& session, const ProfileRequest& request) {
    const profile::Format* wanted = wanted_format(request);
    if (const std::string ending = ending_of(request.output);
        wanted == nullptr && !ending.empty()) {
        return session.wrong_usage("profile flame: draws svg and html, not " + ending +
                                   "; name the output so, or say --to svg");
    }
    const profile::Format& format = wanted == nullptr ? *profile::find_format("svg") : *wanted;
    if (format.read != nullptr) {
        return session.wrong_usage("profile flame: draws svg and html, not " +
                                   std::string(format.name) +
                                   "; `taffrail profile convert` writes other formats");
    }
    auto input = open_profile(session, request.inputs[0], request);
    if (!input.ok()) {
        return session.fail(input.error());
    }
    profile::FlameOptions options{.title = request.title.empty() ? input->title : request.title,
                                  .value = request.value,
                                  .by_thread = request.by_thread,
                                  .is_icicle = request.is_icicle};
    const std::size_t notes = input->read.profile.notes.all().size();
    Result<profile::FlameLayout> layout = Error{};
    profile::Profile drawn;  // of a comparison the second
    if (request.inputs.size() == 2) {
        auto after = open_profile(session, request.inputs[1], request);
        if (!after.ok()) {
            return session.fail(after.error());
        }
        input->is_damaged = input->is_damaged || after->is_damaged;
        options.title =
            request.title.empty() ? options.title + " → " + after->title : request.title;
        layout = lay_out_comparison(input->read.profile, after->read.profile, options);
        drawn = std::move(after->read.profile);
    } else {
        layout = lay_out_flame(input->read.profile, options);
    }
    if (!layout.ok()) {
        return session.fail(input->name + ": " + layout.error().message);
    }
    warn_of_new_notes(session, *input, notes);
    const auto done = write_output(session, request.output, [&](profile::Output& out) {
        return write_picture(*layout, options, format,
                             request.inputs.size() == 2 ? drawn : input->read.profile, out);
    });
    return done.ok() ? say_written(session, request, format.name, *input)
                     : session.fail(done.error());
}

ExitCode write_profile_as(const Session& session, const ProfileRequest& request,
                          ProfileInput& input, const profile::Format& format) {
    const profile::WriteOptions options{
        .value = request.value,
        .title = request.title.empty() ? input.title : request.title,
        .by_thread = request.by_thread};
    const std::size_t notes = input.read.profile.notes.all().size();
    Result<void> done;
    if (request.output.empty() || request.output == "-") {
        done = write_output(session, "", [&](profile::Output& out) {
            return format.write(input.read.profile, out, options);
        });
    } else {
        done = write_profile_file(input.read.profile, format, request.output, options);
    }
    if (!done.ok()) {
        return session.fail(done.error());
    }
    warn_of_new_notes(session, input, notes);
    return say_written(session, request, format.name, input);
}

ExitCode convert_profile(const Session& session, const ProfileRequest& request) {
    const profile::Format* format = wanted_format(request);
    if (format == nullptr || format->write == nullptr) {
        return session.wrong_usage(
            "profile convert: say with --to or the name of the output "
            "which format to write: " +
            profile::format_names(true));
    }
    auto input = open_profile(session, request.inputs[0], request);
    if (!input.ok()) {
        return session.fail(input.error());
    }
    return write_profile_as(session, request, *input, *format);
}

}  // namespace taffrail::cli
