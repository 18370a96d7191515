#include <taffrail/batch.h>

#include <cxxabi.h>

#include <cstdlib>
#include <stdexcept>

namespace taffrail {

namespace {

// Deeper than any batch a person builds; shallow enough for every stack.
constexpr int kDeepestBatch = 200;

std::string name_of(const std::type_info& type) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
    return text ? text.get() : type.name();
}

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

void Batch::throw_wrong_type(const std::type_info& wanted) const {
    throw std::invalid_argument(
        "the batch is " + (type_ == nullptr ? std::string("empty") : name_of(*type_)) + ", not " +
        name_of(wanted) + ": ask for the type that the loader puts into it");
}

}  // namespace taffrail
