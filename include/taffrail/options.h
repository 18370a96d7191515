// Options of sinks, sources and routines, declared once: the declaration parses them, says what is
// wrong with them, and is what `taffrail list NAME` and docs/reference/options.md show.
//
//   struct CsvOptions { std::string log_dir; std::int64_t rows = 100; };
//   const OptionSchema<CsvOptions> schema = OptionSchema<CsvOptions>("csv")
//       .add("log_dir", &CsvOptions::log_dir, "the folder")
//       .add("rows", &CsvOptions::rows, "rows between two saves", {.least = 1});
//   Result<CsvOptions> options = schema.parse({{"log_dir", "out"}});
#pragma once

#include <taffrail/api.h>
#include <taffrail/result.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace taffrail {

/// Names and values with the order kept: options as they stand in a configuration. Lists are
/// "[a, b]".
using OptionMap = std::vector<std::pair<std::string, std::string>>;

enum class OptionType : std::uint8_t { Text, Whole, Number, Flag, List };

/// "text", "whole number", "number", "yes or no", "list".
TAFFRAIL_API std::string_view to_string(OptionType type) noexcept;

/// What holds for an option besides its type.
struct OptionRules {
    std::optional<double> least = {};  ///< the smallest number
    std::optional<double> above = {};  ///< numbers must be larger than this
    /// Never printed, never stored, never part of an error. Where a run is taken up again it must
    /// come from elsewhere (a variable, a file).
    bool secret = false;
    std::vector<std::string> other_names = {};
    /// What else must hold of the text; its message comes after the owner's name.
    std::function<Result<void>(const std::string& text)> check = {};
};

/// One option, as it was declared.
struct OptionInfo {
    std::string name = {};
    OptionType type = OptionType::Text;
    std::string fallback = {};  ///< what counts where it is not given, as text; "" = nothing
    std::string help = {};
    OptionRules rules = {};
};

/// A value of the type of an option.
using OptionValue = std::variant<std::string, std::int64_t, double, bool, std::vector<std::string>>;

/// The value as it would stand in a configuration.
TAFFRAIL_API std::string to_text(const OptionValue& value);

/// The items of "[A, B]" or "A, B", with or without quotes.
TAFFRAIL_API std::vector<std::string> option_list(std::string_view text);

/// The option of that name or other name; null when there is none.
TAFFRAIL_API const OptionInfo* find_option(std::span<const OptionInfo> options,
                                           std::string_view name) noexcept;

/// The text as a value; nothing for an empty text where there is no default. Unknown names fail
/// with the nearest one and the known ones, values with what would be right; `owner` stands in
/// front
/// ("csv: …").
TAFFRAIL_API Result<std::optional<OptionValue>> read_option(std::string_view owner,
                                                            std::span<const OptionInfo> options,
                                                            std::string_view name,
                                                            const std::string& text);

/// Those that may be written to a file or shown: without the secret ones.
TAFFRAIL_API OptionMap without_secrets(std::span<const OptionInfo> options, const OptionMap& given);

/// Binds options to the members of a struct; what its members are when nothing is given are the
/// defaults. Members may be text, whole numbers, numbers, bool, lists of text, and std::optional of
/// the first three; an empty text leaves an optional absent.
template <typename Options>
class OptionSchema {
  public:
    /// `owner` is named in errors.
    explicit OptionSchema(std::string owner) : owner_(std::move(owner)) {}

    template <typename Member>
    OptionSchema& add(std::string name, Member Options::* member, std::string help,
                      OptionRules rules = {}) {
        infos_.push_back({std::move(name), type_of<Member>(), text_of(Options{}.*member),
                          std::move(help), std::move(rules)});
        setters_.push_back([member](Options& options, OptionValue value) {
            set(options.*member, std::move(value));
        });
        return *this;
    }

    [[nodiscard]] const std::vector<OptionInfo>& infos() const noexcept { return infos_; }

    /// The first mistake is the error.
    [[nodiscard]] Result<Options> parse(const OptionMap& given) const {
        Options options{};
        for (const auto& [name, text] : given) {
            auto value = read_option(owner_, infos_, name, text);
            if (!value.ok()) {
                return std::move(value).error();
            }
            if (*value) {
                const auto place = find_option(infos_, name) - infos_.data();
                setters_[static_cast<std::size_t>(place)](options, std::move(**value));
            }
        }
        return options;
    }

  private:
    template <typename T>
    struct Inner {
        using Type = T;
    };

    template <typename T>
    struct Inner<std::optional<T>> {
        using Type = T;
    };

    template <typename Member>
    static constexpr OptionType type_of() {
        using T = typename Inner<Member>::Type;
        if constexpr (std::is_same_v<T, bool>) {
            return OptionType::Flag;
        } else if constexpr (std::is_integral_v<T>) {
            return OptionType::Whole;
        } else if constexpr (std::is_floating_point_v<T>) {
            return OptionType::Number;
        } else if constexpr (std::is_same_v<T, std::string>) {
            return OptionType::Text;
        } else {
            static_assert(std::is_same_v<T, std::vector<std::string>>);
            return OptionType::List;
        }
    }

    template <typename Member>
    static std::string text_of(const Member& member) {
        if constexpr (!std::is_same_v<typename Inner<Member>::Type, Member>) {
            return member ? text_of(*member) : std::string();
        } else if constexpr (std::is_integral_v<Member> && !std::is_same_v<Member, bool>) {
            return to_text(static_cast<std::int64_t>(member));
        } else {
            return to_text(member);
        }
    }

    template <typename Member>
    static void set(Member& member, OptionValue value) {
        using T = typename Inner<Member>::Type;
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            member = static_cast<T>(std::get<std::int64_t>(value));
        } else if constexpr (std::is_floating_point_v<T>) {
            member = static_cast<T>(std::get<double>(value));
        } else {
            member = std::get<T>(std::move(value));
        }
    }

    std::string owner_;
    std::vector<OptionInfo> infos_;
    std::vector<std::function<void(Options&, OptionValue)>> setters_;
};

}  // namespace taffrail
