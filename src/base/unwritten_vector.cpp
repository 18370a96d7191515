#include "base/unwritten_vector.h"

#include <sys/mman.h>

#include <new>

namespace taffrail {
namespace {

constexpr std::align_val_t kLargePage{std::size_t{2} << 20};

}  // namespace

void* allocate_large(std::size_t bytes) {
    void* const memory = ::operator new(bytes, kLargePage);
    (void)::madvise(memory, bytes, MADV_HUGEPAGE);  // small pages hold the same
    return memory;
}

void free_large(void* memory) noexcept {
    ::operator delete(memory, kLargePage);
}

}  // namespace taffrail
