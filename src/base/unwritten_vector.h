// Vectors of millions of numbers that are filled once from their beginning to their end: elements
// that resize() adds are not written before their owner writes them. Zeros in between would cost
// another walk through all of that memory. Large ones ask the kernel for large pages: a fault for
// every 4 KiB costs more than what is written there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace taffrail {

/// From here on memory comes in large pages, where the system has any.
inline constexpr std::size_t kLargeBytes = std::size_t{8} << 20;

/// At least kLargeBytes. Throws std::bad_alloc.
void* allocate_large(std::size_t bytes);
void free_large(void* memory) noexcept;

template <typename T>
class UnwrittenAllocator : public std::allocator<T> {
  public:
    static_assert(std::is_trivially_default_constructible_v<T>);

    template <typename Other>
    struct rebind {
        using other = UnwrittenAllocator<Other>;
    };

    UnwrittenAllocator() = default;

    template <typename Other>
    UnwrittenAllocator(const UnwrittenAllocator<Other>&) noexcept {}  // NOLINT: as allocators are

    [[nodiscard]] T* allocate(std::size_t count) {
        return is_large(count) ? static_cast<T*>(allocate_large(count * sizeof(T)))
                               : std::allocator<T>::allocate(count);
    }

    void deallocate(T* memory, std::size_t count) noexcept {
        is_large(count) ? free_large(memory) : std::allocator<T>::deallocate(memory, count);
    }

    /// Leaves the element as it is.
    template <typename Element>
    void construct(Element* at) noexcept {
        ::new (static_cast<void*>(at)) Element;
    }

    template <typename Element, typename... Arguments>
    void construct(Element* at, Arguments&&... arguments) {
        ::new (static_cast<void*>(at)) Element(std::forward<Arguments>(arguments)...);
    }

  private:
    /// Impossible counts are the other allocator's to refuse.
    static constexpr bool is_large(std::size_t count) noexcept {
        return count >= kLargeBytes / sizeof(T) && count <= PTRDIFF_MAX / sizeof(T);
    }
};

template <typename T>
using UnwrittenVector = std::vector<T, UnwrittenAllocator<T>>;

}  // namespace taffrail
