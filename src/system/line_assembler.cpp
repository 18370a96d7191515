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
            line_ += c;
            time_ns_ = time_ns_ == 0 ? time_ns : time_ns_;
            finish(emit);
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
        line_ += c;
        time_ns_ = time_ns;
        // Printed data rather than a bar: handed on in pieces, nothing is left out. Never inside a
        // character.
        if (line_.size() >= kLongestLine && (static_cast<unsigned char>(c) & 0x80) == 0) {
            finish(emit);
        }
    }
}

void LineAssembler::finish(const Emit& emit) {
    if (!line_.empty()) {
        emit(time_ns_, repair_utf8(line_));
        line_.clear();
    }
    time_ns_ = 0;
    returned_ = false;
}

}  // namespace taffrail::system
