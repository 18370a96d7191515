// Writes a timeline as trace events.
#include "base/strings.h"
#include "profile/derive.h"
#include "profile/formats/chrome/chrome.h"
#include "profile/formats/chrome/event_text.h"

#include <cmath>

namespace taffrail::profile {
namespace {

class ChromeWriter {
  public:
    ChromeWriter(const Profile& profile, Output& out)
        : profile_(profile),
          out_(out),
          escaped_(profile.texts),
          members_(thread_members(profile)) {}

    void write() {
        text("{");
        for (const auto& [key, json] : profile_.metadata) {
            append_json_string(out_.buffer(), key);
            text(":");
            text(json);
            text(",\n");
        }
        text("\"traceEvents\":[");
        write_names();
        for (const Span& span : profile_.spans) {
            write_span(span);
        }
        for (const Instant& instant : profile_.instants) {
            write_instant(instant);
        }
        for (const CounterPoint& point : profile_.counters) {
            write_counter(point);
        }
        for (const FlowPoint& point : profile_.flows) {
            write_flow(point);
        }
        text("\n]}\n");
    }

  private:
    void text(std::string_view text) { out_.buffer().append(text); }

    void begin(std::string_view phase, TextId name, TextId category, ThreadId thread,
               std::int64_t time_ns) {
        std::string& to = out_.buffer();
        to.append(is_first_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"").append(phase);
        is_first_ = false;
        to.append("\",\"name\":").append(escaped_[name]);
        if (category != 0) {
            to.append(",\"cat\":").append(escaped_[category]);
        }
        to.append(",").append(members_[thread]).append(",\"ts\":");
        append_microseconds(to, time_ns);
    }

    void end(ArgsId args) {
        std::string& to = out_.buffer();
        if (args != 0) {
            to.append(",\"args\":").append(profile_.args_text(args));
        }
        to.push_back('}');
        out_.pause();
    }

    void write_span(const Span& span) {
        std::string& to = out_.buffer();
        if (span.async_id != 0) {
            begin("b", span.name, span.category, span.thread, span.begin_ns);
            to.append(",\"id\":").append(escaped_[span.async_id]);
            end(span.args);
            if (!span.unfinished) {
                begin("e", span.name, span.category, span.thread, span.begin_ns + span.duration_ns);
                to.append(",\"id\":").append(escaped_[span.async_id]);
                end(0);
            }
            return;
        }
        if (span.unfinished) {
            begin("B", span.name, span.category, span.thread, span.begin_ns);
        } else {
            begin("X", span.name, span.category, span.thread, span.begin_ns);
            to.append(",\"dur\":");
            append_microseconds(to, span.duration_ns);
        }
        end(span.args);
    }

    void write_instant(const Instant& instant) {
        begin("i", instant.name, instant.category, instant.thread, instant.time_ns);
        text(instant.scope == InstantScope::Thread    ? ",\"s\":\"t\""
             : instant.scope == InstantScope::Process ? ",\"s\":\"p\""
                                                      : ",\"s\":\"g\"");
        end(instant.args);
    }

    void write_counter(const CounterPoint& point) {
        begin("C", point.name, point.category, point.thread, point.time_ns);
        text(",\"args\":{");
        text(escaped_[point.series]);
        text(":");
        // JSON has no other numbers.
        text(std::isfinite(point.value) ? format_double(point.value) : "0");
        text("}");
        end(0);
    }

    void write_flow(const FlowPoint& point) {
        begin(point.phase == FlowPhase::Start  ? "s"
              : point.phase == FlowPhase::Step ? "t"
                                               : "f",
              point.name, point.category, point.thread, point.time_ns);
        text(",\"id\":");
        text(escaped_[point.id]);
        if (point.binds_enclosing) {
            text(",\"bp\":\"e\"");
        }
        end(point.args);
    }

    void write_meta(std::string_view kind, std::string_view ids, std::string_view member,
                    std::string_view json) {
        text(is_first_ ? "\n{\"ph\":\"M\",\"name\":\"" : ",\n{\"ph\":\"M\",\"name\":\"");
        is_first_ = false;
        text(kind);
        text("\",");
        text(ids);
        text(",\"args\":{\"");
        text(member);
        text("\":");
        text(json);
        text("}}");
    }

    void write_names() {
        for (const Process& process : profile_.processes) {
            const std::string ids = "\"pid\":" + id_json(profile_, process.id, process.id_text);
            if (process.name != 0) {
                write_meta("process_name", ids, "name", escaped_[process.name]);
            }
            if (process.labels != 0) {
                write_meta("process_labels", ids, "labels", escaped_[process.labels]);
            }
            if (process.sort_index) {
                write_meta("process_sort_index", ids, "sort_index",
                           std::to_string(*process.sort_index));
            }
        }
        for (std::size_t index = 0; index < profile_.threads.size(); ++index) {
            const Thread& thread = profile_.threads[index];
            if (thread.name != 0) {
                write_meta("thread_name", members_[index], "name", escaped_[thread.name]);
            }
            if (thread.sort_index) {
                write_meta("thread_sort_index", members_[index], "sort_index",
                           std::to_string(*thread.sort_index));
            }
        }
    }

    const Profile& profile_;
    Output& out_;
    EscapedTexts escaped_;
    std::vector<std::string> members_;
    bool is_first_ = true;
};

}  // namespace

Result<void> write_chrome_trace(Profile& profile, Output& out, const WriteOptions&) {
    make_timeline(profile);
    ChromeWriter(profile, out).write();
    return out.finish();
}

}  // namespace taffrail::profile
