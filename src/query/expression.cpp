#include "query/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace taffrail::query {
namespace {

// A descent by precedence (sum, product, sign, power) that writes a program for a stack machine:
// an expression is read once and worked out at every point, where walking a tree would show.

// Every key is a series that is read for every run of a chart.
constexpr std::size_t kMaxExpressionBytes = 16u << 10;
constexpr std::size_t kMaxKeys = 100;

}  // namespace

class ExpressionParser {
  public:
    explicit ExpressionParser(std::string_view text) : text_(text) {}

    Expression whole() {
        sum();
        skip_spaces();
        if (at_ != text_.size()) {
            fail("expected an operator or the end");
        }
        return std::move(result_);
    }

  private:
    using Code = Expression::Code;

    [[noreturn]] void fail(std::string message) const {
        throw ExpressionError{std::move(message), at_};
    }

    void skip_spaces() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
            ++at_;
        }
    }

    bool take(char c) {
        skip_spaces();
        if (at_ < text_.size() && text_[at_] == c) {
            ++at_;
            return true;
        }
        return false;
    }

    void emit(Code code, double number = 0, std::size_t key = 0) {
        result_.program_.push_back({code, number, key});
    }

    void sum() {
        // An expression comes with an address that anybody may send: neither this thread's stack
        // nor the machine's 128 places may be what ends it.
        if (++depth_ > 60) {
            fail("this is nested too deeply");
        }
        product();
        while (true) {
            if (take('+')) {
                product();
                emit(Code::Add);
            } else if (take('-')) {
                product();
                emit(Code::Subtract);
            } else {
                --depth_;
                return;
            }
        }
    }

    void product() {
        unary();
        while (true) {
            if (take('*')) {
                unary();
                emit(Code::Multiply);
            } else if (take('/')) {
                unary();
                emit(Code::Divide);
            } else {
                return;
            }
        }
    }

    // -a^2 is -(a^2), as everywhere.
    void unary() {
        if (++depth_ > 60) {
            fail("this is nested too deeply");
        }
        if (take('-')) {
            unary();
            emit(Code::Negate);
        } else {
            atom();
            if (take('^')) {
                unary();
                emit(Code::Power);
            }
        }
        --depth_;
    }

    void atom() {
        skip_spaces();
        if (at_ == text_.size()) {
            fail("expected a number, a key or a parenthesis");
        }
        if (take('(')) {
            sum();
            if (!take(')')) {
                fail("expected a closing parenthesis");
            }
            return;
        }
        if (text_.substr(at_).starts_with("${")) {
            const auto close = text_.find('}', at_);
            if (close == std::string_view::npos) {
                fail("the key has no closing brace");
            }
            key(text_.substr(at_ + 2, close - at_ - 2));
            at_ = close + 1;
            return;
        }
        const char c = text_[at_];
        if ((c >= '0' && c <= '9') || c == '.') {
            double number = 0;
            const auto [end, error] =
                std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
            if (error != std::errc()) {
                fail("this is not a number");
            }
            at_ = static_cast<std::size_t>(end - text_.data());
            emit(Code::Number, number);
            return;
        }
        name();
    }

    void name() {
        const std::size_t start = at_;
        const auto is_letter = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   c == '_';
        };
        while (at_ < text_.size() && is_letter(text_[at_])) {
            ++at_;
        }
        const std::string_view word = text_.substr(start, at_ - start);
        if (word.empty()) {
            fail("expected a number, a key or a parenthesis");
        }
        if (!take('(')) {
            key(word);
            return;
        }

        struct Function {
            std::string_view name;
            Code code;
            int arguments;
        };

        static constexpr std::array<Function, 7> kFunctions{{{"abs", Code::Abs, 1},
                                                             {"min", Code::Min, 2},
                                                             {"max", Code::Max, 2},
                                                             {"log", Code::Log, 1},
                                                             {"log10", Code::Log10, 1},
                                                             {"exp", Code::Exp, 1},
                                                             {"sqrt", Code::Sqrt, 1}}};
        const auto found = std::ranges::find(kFunctions, word, &Function::name);
        if (found == kFunctions.end()) {
            at_ = start;
            fail("there is no function '" + std::string(word) +
                 "'; there are abs, min, max, log, log10, exp, sqrt");
        }
        sum();
        int given = 1;
        while (take(',')) {
            sum();
            ++given;
            if (found->arguments == 2) {
                emit(found->code);
            }
        }
        if (given < found->arguments || (found->arguments == 1 && given > 1)) {
            fail("'" + std::string(word) + "' takes " +
                 (found->arguments == 1 ? "one argument" : "two or more arguments"));
        }
        if (found->arguments == 1) {
            emit(found->code);
        }
        if (!take(')')) {
            fail("expected a closing parenthesis");
        }
    }

    void key(std::string_view name) {
        const auto found = std::ranges::find(result_.keys_, name);
        const auto index = static_cast<std::size_t>(found - result_.keys_.begin());
        if (found == result_.keys_.end()) {
            if (result_.keys_.size() == kMaxKeys) {
                fail("an expression may name at most " + std::to_string(kMaxKeys) + " keys");
            }
            result_.keys_.emplace_back(name);
        }
        emit(Code::Key, 0, index);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    Expression result_;
};

std::variant<Expression, ExpressionError> Expression::parse(std::string_view text) {
    if (text.size() > kMaxExpressionBytes) {
        return ExpressionError{"an expression may be at most " +
                                   std::to_string(kMaxExpressionBytes) +
                                   " bytes long, and this one has " + std::to_string(text.size()),
                               kMaxExpressionBytes};
    }
    try {
        return ExpressionParser(text).whole();
    } catch (const ExpressionError& error) {
        return error;
    }
}

double Expression::evaluate(std::span<const double> values) const {
    std::array<double, 128> stack;
    std::size_t top = 0;
    // Too few operands would be a mistake of the parser; no reason to read beyond the stack.
    const auto binary = [&](auto operation) {
        if (top >= 2) {
            stack[top - 2] = operation(stack[top - 2], stack[top - 1]);
            --top;
        }
    };
    for (const Instruction& instruction : program_) {
        if (top == stack.size()) {
            return std::nan("");
        }
        double& last = stack[top == 0 ? 0 : top - 1];
        switch (instruction.code) {
            case Code::Number:
                stack[top++] = instruction.number;
                break;
            case Code::Key:
                stack[top++] =
                    instruction.key < values.size() ? values[instruction.key] : std::nan("");
                break;
            case Code::Add:
                binary([](double a, double b) { return a + b; });
                break;
            case Code::Subtract:
                binary([](double a, double b) { return a - b; });
                break;
            case Code::Multiply:
                binary([](double a, double b) { return a * b; });
                break;
            case Code::Divide:
                binary([](double a, double b) { return a / b; });
                break;
            case Code::Power:
                binary([](double a, double b) { return std::pow(a, b); });
                break;
            // fmin and fmax go by the other where one is NaN: the smaller of two losses is known
            // where only one of them was logged.
            case Code::Min:
                binary([](double a, double b) { return std::fmin(a, b); });
                break;
            case Code::Max:
                binary([](double a, double b) { return std::fmax(a, b); });
                break;
            case Code::Negate:
                last = -last;
                break;
            case Code::Abs:
                last = std::abs(last);
                break;
            case Code::Log:
                last = std::log(last);
                break;
            case Code::Log10:
                last = std::log10(last);
                break;
            case Code::Exp:
                last = std::exp(last);
                break;
            case Code::Sqrt:
                last = std::sqrt(last);
                break;
        }
    }
    return top == 1 ? stack[0] : std::nan("");
}

}  // namespace taffrail::query
