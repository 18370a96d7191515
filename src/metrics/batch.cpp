#include <taffrail/batch.h>

namespace taffrail {

namespace {

// Deeper than any batch a person builds; shallow enough for every stack.
constexpr int kDeepestBatch = 200;

}  // namespace

void BatchVisitor::tensor(std::int64_t extent) noexcept {
    if (!size_) {
        size_ = extent;
    } else if (*size_ != extent) {
        ambiguous_ = true;
    }
}

void BatchVisitor::nothing() noexcept {
    if (size_) {
        ambiguous_ = true;
    }
}

bool BatchVisitor::enter() noexcept {
    if (ambiguous_ || endless_) {
        return false;
    }
    if (depth_ >= kDeepestBatch) {
        endless_ = true;
        return false;
    }
    ++depth_;
    return true;
}

}  // namespace taffrail
