// A batch of whatever type the program uses, and how its size is found for weighted means.
#pragma once

#include <taffrail/api.h>
#include <taffrail/value.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace taffrail {

/// Walks through a batch depth first and remembers the first size it meets.
class TAFFRAIL_API BatchVisitor {
  public:
    /// A tensor: `extent` is the length of its first axis, 1 for a tensor without axes.
    void tensor(std::int64_t extent) noexcept;
    /// Something without a size: text, a plain number, a foreign object.
    void nothing() noexcept;
    /// Around the parts of a container; false = too deep or nothing more to find, do not descend.
    bool enter() noexcept;

    void leave() noexcept { --depth_; }

    [[nodiscard]] std::optional<std::int64_t> size() const noexcept { return size_; }

    /// A later part said something else.
    [[nodiscard]] bool ambiguous() const noexcept { return ambiguous_; }

    /// The batch contains itself.
    [[nodiscard]] bool endless() const noexcept { return endless_; }

  private:
    std::optional<std::int64_t> size_;
    int depth_ = 0;
    bool ambiguous_ = false;
    bool endless_ = false;
};

/// Specialise for a type of your own: `static void visit(BatchVisitor&, const T&)`.
template <typename T>
struct BatchTraits;

template <typename T>
concept HasBatchTraits =
    requires(BatchVisitor& visitor, const T& value) { BatchTraits<T>::visit(visitor, value); };

/// Visits tensors, standard containers of them, and types with BatchTraits; contiguous numbers
/// count as a tensor.
template <typename T>
void visit_batch(BatchVisitor& visitor, const T& value);

namespace detail {

template <typename T>
concept MapLike = std::ranges::range<T> && requires { typename T::mapped_type; };
template <typename T>
concept RowsOfNumbers =
    std::ranges::sized_range<T> && std::ranges::range<std::ranges::range_value_t<T>> &&
    !std::is_convertible_v<std::ranges::range_value_t<T>, std::string_view> &&
    std::is_arithmetic_v<std::ranges::range_value_t<std::ranges::range_value_t<T>>>;
template <typename T>
concept TupleLike = !std::ranges::range<T> && requires { std::tuple_size<T>::value; };
template <typename T>
concept PointerLike = requires(const T& value) {
    *value;
    static_cast<bool>(value);
} && !std::ranges::range<T>;

}  // namespace detail

template <typename T>
void visit_batch(BatchVisitor& visitor, const T& value) {
    if constexpr (HasBatchTraits<T>) {
        BatchTraits<T>::visit(visitor, value);
    } else if constexpr (std::is_same_v<T, TensorView>) {
        visitor.tensor(value.shape.rank() == 0 ? 1 : value.shape[0]);
    } else if constexpr (std::is_same_v<T, ImageView>) {
        visit_batch(visitor, value.pixels);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view> ||
                         std::is_arithmetic_v<T>) {
        visitor.nothing();
    } else if constexpr (detail::MapLike<T>) {
        if (visitor.enter()) {
            for (const auto& [key, part] : value) {
                visit_batch(visitor, part);
            }
            visitor.leave();
        }
    } else if constexpr (std::ranges::range<T>) {
        if constexpr (std::is_arithmetic_v<std::ranges::range_value_t<T>> &&
                      std::ranges::sized_range<T>) {
            visitor.tensor(static_cast<std::int64_t>(std::ranges::size(value)));
        } else if constexpr (detail::RowsOfNumbers<T>) {
            // A list of samples, each a list of features: the batch has as many as there are rows.
            visitor.tensor(static_cast<std::int64_t>(std::ranges::size(value)));
        } else if (visitor.enter()) {
            for (const auto& part : value) {
                visit_batch(visitor, part);
            }
            visitor.leave();
        }
    } else if constexpr (detail::TupleLike<T>) {
        if (visitor.enter()) {
            std::apply([&](const auto&... parts) { (visit_batch(visitor, parts), ...); }, value);
            visitor.leave();
        }
    } else if constexpr (detail::PointerLike<T>) {
        if (!value) {
            visitor.nothing();
        } else if (visitor.enter()) {
            visit_batch(visitor, *value);
            visitor.leave();
        }
    } else {
        visitor.nothing();
    }
}

/// A batch of any type, shared and read-only.
class TAFFRAIL_API Batch {
  public:
    Batch() = default;

    template <typename T>
        requires(!std::same_as<std::remove_cvref_t<T>, Batch>)
    Batch(T&& data)  // NOLINT: implicit on purpose
        : data_(std::make_shared<std::remove_cvref_t<T>>(std::forward<T>(data))),
          type_(&typeid(std::remove_cvref_t<T>)),
          visit_([](BatchVisitor& visitor, const void* pointer) {
              visit_batch(visitor, *static_cast<const std::remove_cvref_t<T>*>(pointer));
          }) {}

    /// The data when it is of this type, else null.
    template <typename T>
    [[nodiscard]] const T* get() const noexcept {
        return type_ != nullptr && *type_ == typeid(T) ? static_cast<const T*>(data_.get())
                                                       : nullptr;
    }

    /// The data, which must be of this type: else a std::invalid_argument that names both
    /// types is thrown, which ends the stage with that message.
    template <typename T>
    [[nodiscard]] const T& as() const {
        const T* data = get<T>();
        if (data == nullptr) {
            throw_wrong_type(typeid(T));
        }
        return *data;
    }

    [[nodiscard]] bool empty() const noexcept { return data_ == nullptr; }

    void visit(BatchVisitor& visitor) const {
        if (visit_ != nullptr) {
            visit_(visitor, data_.get());
        }
    }

  private:
    [[noreturn]] void throw_wrong_type(const std::type_info& wanted) const;

    std::shared_ptr<const void> data_;
    const std::type_info* type_ = nullptr;
    void (*visit_)(BatchVisitor&, const void*) = nullptr;
};

}  // namespace taffrail
