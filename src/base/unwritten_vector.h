// Vectors of millions of numbers that are filled once from their beginning to their end: elements
// that resize() adds are not written before their owner writes them. Zeros in between would cost
// another walk through all of that memory.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace taffrail {

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

    /// Leaves the element as it is.
    template <typename Element>
    void construct(Element* at) noexcept {
        ::new (static_cast<void*>(at)) Element;
    }

    template <typename Element, typename... Arguments>
    void construct(Element* at, Arguments&&... arguments) {
        ::new (static_cast<void*>(at)) Element(std::forward<Arguments>(arguments)...);
    }
};

template <typename T>
using UnwrittenVector = std::vector<T, UnwrittenAllocator<T>>;

}  // namespace taffrail
