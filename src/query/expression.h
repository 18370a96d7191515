// Arithmetic over series: `${train/loss} - ${val/loss}`, `log(loss)`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace taffrail::query {

struct ExpressionError {
    std::string message;
    std::size_t offset = 0;
};

/// A parsed expression; evaluation is a walk over a small program, no recursion and no allocation.
class Expression {
  public:
    /// + - * / ^, parentheses, abs min max log log10 exp sqrt, numbers, ${key}; bare names without
    /// `/` are keys too. At most 16 KiB and 100 keys.
    static std::variant<Expression, ExpressionError> parse(std::string_view text);

    /// The keys it needs, each once, in order of first use.
    [[nodiscard]] const std::vector<std::string>& keys() const noexcept { return keys_; }

    /// values[i] belongs to keys()[i].
    [[nodiscard]] double evaluate(std::span<const double> values) const;

  private:
    friend class ExpressionParser;
    enum class Code : std::uint8_t {
        Number,
        Key,
        Add,
        Subtract,
        Multiply,
        Divide,
        Power,
        Negate,
        Abs,
        Min,
        Max,
        Log,
        Log10,
        Exp,
        Sqrt
    };

    struct Instruction {
        Code code;
        double number = 0;
        std::size_t key = 0;
    };

    std::vector<Instruction> program_;
    std::vector<std::string> keys_;
};

}  // namespace taffrail::query
