#include "base/utf8.h"
#include "system/console_capture.h"

namespace taffrail::system {
namespace {

constexpr std::size_t kLongestLine = 64u << 10;

}  // namespace

void LineAssembler::add(std::int64_t time_ns, std::string_view bytes, const Emit& emit) {
    for (char c : bytes) {
        if (c == '\n') {
            returned_ = false;
            finish(emit);
            // An empty line is a line too.
            if (time_ns_ == 0) {
                emit(time_ns, "");
            }
            time_ns_ = 0;
            continue;
        }
        if (c == '\r') {
            returned_ = true;
            continue;
        }
        if (returned_) {
            line_.clear();
            returned_ = false;
        }
        if (line_.size() < kLongestLine) {
            line_ += c;
        }
        time_ns_ = time_ns;
    }
}

void LineAssembler::finish(const Emit& emit) {
    if (!line_.empty()) {
        emit(time_ns_, repair_utf8(line_));
        line_.clear();
    }
}

}  // namespace taffrail::system
