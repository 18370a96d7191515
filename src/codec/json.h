// JSON read into a plain tree. The parser is Boost.JSON, seen by one .cpp only.
#pragma once

#include <taffrail/result.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace taffrail {

/// A JSON value. Objects keep the order of their members; of doubled names find() gives the last
/// one.
class Json {
  public:
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;

    Json() = default;

    Json(bool truth) : data_(truth) {}  // NOLINT: implicit on purpose

    Json(std::int64_t number) : data_(number) {}  // NOLINT

    Json(std::uint64_t number);  // NOLINT: only above INT64_MAX kept as unsigned

    Json(double number) : data_(number) {}  // NOLINT

    Json(std::string text) : data_(std::move(text)) {}  // NOLINT

    Json(std::string_view text) : data_(std::string(text)) {}  // NOLINT

    Json(const char* text) : data_(std::string(text)) {}  // NOLINT

    Json(Array items) : data_(std::move(items)) {}  // NOLINT

    Json(Object members) : data_(std::move(members)) {}  // NOLINT

    [[nodiscard]] bool is_null() const noexcept { return data_.index() == 0; }

    [[nodiscard]] bool is_object() const noexcept { return get_if<Object>() != nullptr; }

    [[nodiscard]] bool is_array() const noexcept { return get_if<Array>() != nullptr; }

    [[nodiscard]] bool is_string() const noexcept { return get_if<std::string>() != nullptr; }

    [[nodiscard]] bool is_bool() const noexcept { return get_if<bool>() != nullptr; }

    [[nodiscard]] bool is_number() const noexcept { return number().has_value(); }

    /// What the value is, or nothing. A member of a non-object is nothing too, so chains need no
    /// checks between.
    [[nodiscard]] const Json* find(std::string_view name) const noexcept;
    [[nodiscard]] std::optional<double> number() const noexcept;
    [[nodiscard]] std::optional<std::int64_t> integer() const noexcept;
    [[nodiscard]] std::optional<bool> truth() const noexcept;

    [[nodiscard]] const std::string* string() const noexcept { return get_if<std::string>(); }

    [[nodiscard]] const Array* array() const noexcept { return get_if<Array>(); }

    [[nodiscard]] const Object* object() const noexcept { return get_if<Object>(); }

    /// The member `name` as …, or the fallback when it is absent or of another type.
    [[nodiscard]] std::string string_or(std::string_view name, std::string_view fallback) const;
    [[nodiscard]] double number_or(std::string_view name, double fallback) const noexcept;
    [[nodiscard]] std::int64_t integer_or(std::string_view name,
                                          std::int64_t fallback) const noexcept;
    [[nodiscard]] bool truth_or(std::string_view name, bool fallback) const noexcept;

    template <typename T>
    [[nodiscard]] const T* get_if() const noexcept {
        return std::get_if<T>(&data_);
    }

    template <typename T>
    [[nodiscard]] T* get_if() noexcept {
        return std::get_if<T>(&data_);
    }

    /// Back to text, in the order of the members. NaN and infinities become strings (see
    /// JsonWriter).
    [[nodiscard]] std::string dump(int indent = 0) const;

  private:
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
                 Object>
        data_;
};

/// Parses one JSON text. Errors name the byte offset. The bare words NaN, Infinity and -Infinity,
/// which Python's json module writes, are read as numbers. Nesting over 64 levels is refused.
Result<Json> parse_json(std::string_view text);

}  // namespace taffrail
