#include "base/strings.h"
#include "base/utf8.h"
#include "profile/formats/collapsed/collapsed.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace taffrail::profile {
namespace {

/// The number behind the last space of `line`, which is cut there.
bool take_weight(std::string_view& line, double& weight) {
    const std::size_t space = line.rfind(' ');
    if (space == std::string_view::npos || space + 1 == line.size()) {
        return false;
    }
    std::uint64_t whole = 0;
    bool is_whole = line.size() - space - 1 <= 15;
    for (const char character : line.substr(space + 1)) {
        is_whole = is_whole && character >= '0' && character <= '9';
        whole = whole * 10 + static_cast<std::uint64_t>(character - '0');
    }
    if (is_whole) {
        weight = static_cast<double>(whole);
    } else if (const auto number = parse_double(line.substr(space + 1))) {
        weight = *number;
    } else {
        return false;
    }
    line = line.substr(0, space);
    return true;
}

/// One line after the other, without its end.
class Lines {
  public:
    explicit Lines(std::string_view text) : text_(text) {}

    bool next(std::string_view& line) {
        if (at_ >= text_.size()) {
            return false;
        }
        offset_ = at_;
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        line = text_.substr(at_, end - at_);
        at_ = end + 1;
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        return true;
    }

    [[nodiscard]] std::size_t offset() const { return offset_; }

  private:
    std::string_view text_;
    std::size_t at_ = 0, offset_ = 0;
};

/// 2 where each of the first lines ends with two numbers.
std::size_t count_of_weights(std::string_view text) {
    constexpr int kLook = 200;
    Lines lines(text);
    std::string_view line;
    int seen = 0;
    while (seen < kLook && lines.next(line)) {
        double ignored = 0;
        if (line.empty() || line.starts_with('#')) {
            continue;
        }
        if (!take_weight(line, ignored) || !take_weight(line, ignored)) {
            return 1;
        }
        ++seen;
    }
    return seen > 0 ? 2 : 1;
}

/// Lines come sorted more often than not: what a line shares with the one before it is not looked
/// up again.
class StackParser {
  public:
    explicit StackParser(Profile& profile) : profile_(profile) {}

    NodeId node(std::string_view stack) {
        const std::size_t shared_bytes = static_cast<std::size_t>(
            std::mismatch(
                stack.begin(),
                stack.begin() + static_cast<std::ptrdiff_t>(std::min(stack.size(), last_.size())),
                last_.begin())
                .first -
            stack.begin());
        // A frame is shared when it ends, in both lines, at a ';' within the shared bytes.
        while (!ends_.empty() &&
               (ends_.back().offset >= shared_bytes || ends_.back().offset >= stack.size())) {
            ends_.pop_back();
        }
        std::size_t at = ends_.empty() ? 0 : ends_.back().offset + 1;
        NodeId node = ends_.empty() ? kRoot : ends_.back().node;
        for (;;) {
            const void* found = std::memchr(stack.data() + at, ';', stack.size() - at);
            const std::size_t end =
                found == nullptr
                    ? stack.size()
                    : static_cast<std::size_t>(static_cast<const char*>(found) - stack.data());
            node = profile_.tree.child(node, frame(stack.substr(at, end - at)));
            if (found == nullptr) {
                break;
            }
            ends_.push_back({end, node});
            at = end + 1;
        }
        last_ = stack;
        return node;
    }

  private:
    struct End {
        std::size_t offset;  ///< of the ';'
        NodeId node;
    };

    FrameId frame(std::string_view title) {
        const TextId text = titles_.id(title);
        if (text == frames_.size()) {
            frames_.push_back(kNone);
        }
        if (frames_[text] == kNone) {
            frames_[text] = is_valid_utf8(title) ? frame_of_title(profile_, title)
                                                 : frame_of_title(profile_, repair_utf8(title));
        }
        return frames_[text];
    }

    Profile& profile_;
    std::string_view last_;
    std::vector<End> ends_;
    Texts titles_;
    std::vector<FrameId> frames_ = {kNone};
};

}  // namespace

bool is_collapsed(ByteSpan bytes) {
    // Whole lines; the first may be longer than anything that is looked at otherwise.
    constexpr std::size_t kLook = 64u << 10;
    std::string_view text = as_text(bytes);
    if (text.size() > kLook) {
        const std::size_t end = text.substr(0, kLook).rfind('\n');
        text = text.substr(0, end != std::string_view::npos ? end : text.find('\n'));
    }
    if (text.find('\0') != std::string_view::npos) {
        return false;
    }
    Lines lines(text);
    std::string_view line;
    std::size_t good = 0, bad = 0;
    while (lines.next(line)) {
        double weight = 0;
        if (!line.empty() && !line.starts_with('#')) {
            ++(take_weight(line, weight) && !line.empty() ? good : bad);
        }
    }
    return good > bad;
}

Result<void> read_collapsed(ByteSpan bytes, Profile& profile) {
    const std::string_view text = as_text(bytes);
    const std::size_t weights = count_of_weights(text);
    if (weights == 2) {
        profile.value_type("before", "count");
        profile.value_type("after", "count");
    } else {
        profile.value_type("samples", "count");
    }
    const ThreadId thread = profile.only_thread();
    StackParser stacks(profile);
    Lines lines(text);
    for (std::string_view line; lines.next(line);) {
        if (line.empty() || line.starts_with('#')) {
            continue;
        }
        double values[2] = {0, 0};
        if (!take_weight(line, values[weights - 1]) ||
            (weights == 2 && !take_weight(line, values[0])) || line.empty()) {
            profile.notes.add("a line without a stack and a weight was left out", lines.offset());
        } else if (!std::isfinite(values[0]) || values[0] < 0 || values[1] < 0 ||
                   !std::isfinite(values[1])) {
            profile.notes.add("a weight that is negative or no finite number was left out",
                              lines.offset());
        } else {
            profile.add_sample({.node = stacks.node(line), .thread = thread},
                               std::span(values, weights));
        }
    }
    if (profile.samples.empty()) {
        return Error{ErrorCode::Corrupt,
                     "no collapsed stacks: lines like \"main;work 12\" were expected"};
    }
    return {};
}

}  // namespace taffrail::profile
