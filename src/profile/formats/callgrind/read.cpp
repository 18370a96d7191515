#include "base/strings.h"
#include "base/utf8.h"
#include "profile/formats/callgrind/callgrind.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace taffrail::profile {
namespace {

/// "(7) name" defines, "(7)" means it again, "name" is itself.
class ShortNames {
  public:
    TextId text(Profile& profile, std::string_view spec) {
        spec = trim(spec);
        if (!spec.starts_with('(')) {
            return known_text(profile, spec);
        }
        const std::size_t close = spec.find(')');
        const auto id =
            close == std::string_view::npos ? std::nullopt : parse_int(spec.substr(1, close - 1));
        if (!id) {
            return known_text(profile, spec);
        }
        const std::string_view name = trim(spec.substr(close + 1));
        if (!name.empty()) {
            names_[*id] = known_text(profile, name);
        } else if (!names_.contains(*id)) {
            profile.notes.add("a short name is used before it is defined");
            names_[*id] = profile.text(spec);
        }
        return names_[*id];
    }

  private:
    static TextId known_text(Profile& profile, std::string_view name) {
        // What callgrind writes for what it does not know.
        return name == "???" ? 0 : profile.text(is_valid_utf8(name) ? name : repair_utf8(name));
    }

    std::unordered_map<std::int64_t, TextId> names_;
};

class CallgrindReader {
  public:
    explicit CallgrindReader(Profile& profile) : profile_(profile) {}

    Result<void> read(std::string_view text) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            offset_ = at;
            read_line(trim(text.substr(at, end - at)));
            at = end + 1;
        }
        if (profile_.value_types.empty()) {
            return Error{ErrorCode::Corrupt, "no callgrind profile: it has no line \"events: …\""};
        }
        finish();
        return {};
    }

  private:
    void read_line(std::string_view line) {
        if (line.empty() || line[0] == '#') {
            return;
        }
        const char first = line[0];
        if ((first >= '0' && first <= '9') || first == '+' || first == '-' || first == '*') {
            read_costs(line);
            return;
        }
        const std::size_t mark = line.find_first_of("=:");
        if (mark == std::string_view::npos) {
            profile_.notes.add("a line that says nothing was left out", offset_);
            return;
        }
        const std::string_view key = line.substr(0, mark), value = line.substr(mark + 1);
        line[mark] == ':' ? read_header(key, trim(value)) : read_name(key, value);
    }

    void read_header(std::string_view key, std::string_view value) {
        if (key == "events" && profile_.value_types.empty()) {
            for (const std::string_view name : split(value, ' ')) {
                if (!name.empty()) {
                    const auto unit = units_.find(name);
                    profile_.value_types.push_back(
                        {repair_utf8(name), unit == units_.end() ? "count" : unit->second});
                }
            }
        } else if (key == "positions") {
            positions_ = static_cast<std::size_t>(std::count(value.begin(), value.end(), ' ')) + 1;
            line_position_ =
                value.find("line") == std::string_view::npos ? SIZE_MAX : positions_ - 1;
            last_.assign(positions_, 0);
        } else if (key == "desc" && value.starts_with("Value ")) {
            const std::size_t colon = value.find(": ");
            if (colon != std::string_view::npos) {
                units_.emplace(repair_utf8(value.substr(6, colon - 6)),
                               repair_utf8(value.substr(colon + 2)));
            }
        } else if (key == "cmd") {
            profile_.name = repair_utf8(value);
        }
    }

    void read_name(std::string_view key, std::string_view value) {
        if (key == "fl") {
            file_ = files_.text(profile_, value);
        } else if (key == "fn") {
            // The file of a function is the one it begins in, whatever is inlined into it.
            function_ = function_of(functions_.text(profile_, value), file_);
            callee_file_ = kNone;
        } else if (key == "cfi" || key == "cfl") {
            callee_file_ = files_.text(profile_, value);
        } else if (key == "cfn") {
            callee_ = functions_.text(profile_, value);
        } else if (key == "calls") {
            const auto words = split(value, ' ');
            calls_ = parse_double(words[0]).value_or(0);
            is_call_ = true;
        } else if (key == "fi" || key == "fe") {
            (void)files_.text(profile_, value);
        } else if (key == "ob" || key == "cob") {
            (void)objects_.text(profile_, value);
        } else if (key != "jump" && key != "jcnd" && key != "frfn") {
            profile_.notes.add("a line of a kind that is not known was left out", offset_);
        }
    }

    void read_costs(std::string_view line) {
        const std::vector<std::string_view> words = split(line, ' ');
        std::size_t at = 0;
        std::uint32_t place = 0;
        for (std::size_t position = 0; position < positions_ && at < words.size(); ++at) {
            if (words[at].empty()) {
                continue;
            }
            last_[position] = position_of(words[at], last_[position]);
            if (position == line_position_ && last_[position] >= 0 &&
                last_[position] <= UINT32_MAX) {
                place = static_cast<std::uint32_t>(last_[position]);
            }
            ++position;
        }
        values_.assign(profile_.value_types.size(), 0);
        for (std::size_t value = 0; at < words.size() && value < values_.size(); ++at) {
            if (!words[at].empty()) {
                const auto number = parse_double(words[at]);
                if (!number || !(*number >= 0 && *number < 1e300)) {
                    profile_.notes.add("a cost that is negative or no number counts as 0", offset_);
                }
                values_[value++] = number && *number >= 0 && *number < 1e300 ? *number : 0;
            }
        }
        if (function_ == kNone || profile_.value_types.empty()) {
            profile_.notes.add("a cost before its function was left out", offset_);
            is_call_ = false;
            return;
        }
        is_call_ ? add_call() : add_self(place);
        is_call_ = false;
    }

    static std::int64_t position_of(std::string_view word, std::int64_t last) {
        if (word == "*") {
            return last;
        }
        if (word[0] == '+' || word[0] == '-') {
            const std::int64_t step = parse_int(word.substr(1)).value_or(0);
            // Hostile files step as far as they like; places are below 2^32 anyhow.
            constexpr std::int64_t kFar = std::int64_t{1} << 48;
            return std::clamp(last, -kFar, kFar) +
                   (word[0] == '+' ? 1 : -1) * std::clamp(step, -kFar, kFar);
        }
        return parse_int(word).value_or(0);
    }

    void add_self(std::uint32_t place) {
        FunctionCost& it = costs_[function_];
        if (it.line == 0) {
            it.line = place;
        }
        add(it.self);
    }

    void add_call() {
        const std::uint32_t callee =
            function_of(callee_, callee_file_ == kNone ? file_ : callee_file_);
        CallCost& call = calls_between_[{function_, callee}];
        call.calls += calls_;
        add(call.total);
        callee_file_ = kNone;
    }

    void add(std::vector<double>& sums) {
        sums.resize(values_.size());
        for (std::size_t value = 0; value < values_.size(); ++value) {
            sums[value] += values_[value];
        }
    }

    std::uint32_t function_of(TextId name, TextId file) {
        const auto [known, is_new] =
            function_ids_.try_emplace(static_cast<std::uint64_t>(name) << 32 | file,
                                      static_cast<std::uint32_t>(costs_.size()));
        if (is_new) {
            costs_.push_back({.name = name, .file = file});
        }
        return known->second;
    }

    void finish() {
        const std::size_t types = profile_.value_types.size();
        for (FunctionCost& it : costs_) {
            it.self.resize(types);
            profile_.functions.push_back({profile_.frames.id({it.name, it.file, it.line, 0}),
                                          {.self = it.self, .total = it.self}});
        }
        for (auto& [between, it] : calls_between_) {
            const auto [caller, callee] = between;
            it.total.resize(types);
            GraphCall call{caller, callee, {.calls = it.calls, .primitive_calls = it.calls}};
            call.cost.self.assign(types, 0);
            call.cost.total = it.total;
            GraphCost& callee_cost = profile_.functions[callee].cost;
            callee_cost.calls += it.calls;
            if (caller != callee) {
                callee_cost.primitive_calls += it.calls;
                GraphCost& caller_cost = profile_.functions[caller].cost;
                for (std::size_t value = 0; value < types; ++value) {
                    caller_cost.total[value] += it.total[value];
                }
            }
            profile_.calls.push_back(std::move(call));
        }
    }

    struct FunctionCost {
        TextId name = 0, file = 0;
        std::uint32_t line = 0;
        std::vector<double> self;
    };

    struct CallCost {
        double calls = 0;
        std::vector<double> total;
    };

    Profile& profile_;
    std::uint64_t offset_ = 0;
    std::map<std::string, std::string, std::less<>> units_;
    ShortNames files_, functions_, objects_;
    std::size_t positions_ = 1, line_position_ = 0;
    std::vector<std::int64_t> last_ = {0};
    TextId file_ = 0, callee_file_ = kNone, callee_ = 0;
    std::uint32_t function_ = kNone;
    double calls_ = 0;
    bool is_call_ = false;
    std::vector<double> values_;
    std::vector<FunctionCost> costs_;
    std::unordered_map<std::uint64_t, std::uint32_t> function_ids_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, CallCost> calls_between_;
};

}  // namespace

bool is_callgrind(ByteSpan bytes) {
    const std::string_view head = as_text(bytes).substr(0, 4096);
    return head.starts_with("# callgrind format") ||
           (head.find("\nevents:") != std::string_view::npos &&
            as_text(bytes).substr(0, 1u << 20).find("\nfn=") != std::string_view::npos) ||
           (head.starts_with("events:") && head.find("\nfn=") != std::string_view::npos);
}

Result<void> read_callgrind(ByteSpan bytes, Profile& profile) {
    return CallgrindReader(profile).read(as_text(bytes));
}

}  // namespace taffrail::profile
