// Include this in one source file of a program, and every `new` and `delete` of it is told to
// traces (report_memory() of <taffrail/trace_notes.h>): the memory curve of `profiler=trace
// +profiler.profile_memory=true` is then that of the program. An allocation costs two additions
// more.
#pragma once

#include <taffrail/trace_notes.h>

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace taffrail::detail {

inline void* traced_new(std::size_t bytes, std::size_t alignment) noexcept {
    void* const at =
        alignment == 0
            ? std::malloc(bytes == 0 ? 1 : bytes)
            : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (at != nullptr) {
        report_memory(at, static_cast<std::int64_t>(::malloc_usable_size(at)));
    }
    return at;
}

inline void* traced_new_or_throw(std::size_t bytes, std::size_t alignment) {
    for (;;) {
        if (void* const at = traced_new(bytes, alignment); at != nullptr) {
            return at;
        }
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) {
            throw std::bad_alloc();
        }
        handler();
    }
}

inline void traced_delete(void* at) noexcept {
    if (at != nullptr) {
        report_memory(at, -static_cast<std::int64_t>(::malloc_usable_size(at)));
        std::free(at);
    }
}

}  // namespace taffrail::detail

void* operator new(std::size_t bytes) {
    return taffrail::detail::traced_new_or_throw(bytes, 0);
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return taffrail::detail::traced_new_or_throw(bytes, static_cast<std::size_t>(alignment));
}

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return taffrail::detail::traced_new(bytes, 0);
}

void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return taffrail::detail::traced_new(bytes, static_cast<std::size_t>(alignment));
}

void operator delete(void* at) noexcept {
    taffrail::detail::traced_delete(at);
}

void operator delete(void* at, std::size_t) noexcept {
    taffrail::detail::traced_delete(at);
}

void operator delete(void* at, std::align_val_t) noexcept {
    taffrail::detail::traced_delete(at);
}

void operator delete(void* at, std::size_t, std::align_val_t) noexcept {
    taffrail::detail::traced_delete(at);
}
