#include "query/filter.h"

#include "base/clock.h"
#include "base/strings.h"
#include "query/filter_value.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace taffrail::query {

struct Filter::Term {
    std::string name, op, text;
    FilterValue value;
    std::size_t at = 0;

    [[nodiscard]] bool holds(const FilterSubject& subject) const {
        const std::vector<Cell> cells = subject.values(name);
        const auto fits = [this](const Cell& cell) { return value.fits(cell, op); };
        return op == "!=" ? std::ranges::all_of(cells, fits) : std::ranges::any_of(cells, fits);
    }
};

namespace {

using Test = std::function<bool(const FilterSubject&)>;

struct Token {
    enum class Type { Word, Quoted, Operator, Open, Close, End } type = Type::End;
    std::string text;
    std::size_t at = 0;
};

// Far beyond what a person writes or a page builds, and small enough that neither the parse nor a
// question over ten thousand runs holds a server up.
constexpr std::size_t kMaxFilterBytes = 64u << 10;
constexpr std::size_t kMaxTerms = 1000;
constexpr int kMaxDepth = 100;

constexpr std::string_view kOperators[] = {"<=", ">=", "!=", "==", "<", ">", "=", ":", "~"};

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}

    /// A value is a word up to the next space or bracket: times hold ':'.
    enum class Wanted : std::uint8_t { Any, Value };

    // A word may hold ':' behind a family name (config:lr) and every character that starts no
    // operator.
    Token next(Wanted wanted = Wanted::Any) {
        while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) <= ' ') {
            ++at_;
        }
        const std::size_t start = at_;
        if (at_ == text_.size()) {
            return {Token::Type::End, "", start};
        }
        if (text_[at_] == '(' || text_[at_] == ')') {
            return {text_[at_++] == '(' ? Token::Type::Open : Token::Type::Close,
                    std::string(1, text_[start]), start};
        }
        if (text_[at_] == '"') {
            std::string value;
            for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
                if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
                    ++at_;
                }
                value.push_back(text_[at_]);
            }
            if (at_ == text_.size()) {
                throw FilterError{"the quoted text has no end", start};
            }
            ++at_;
            return {Token::Type::Quoted, std::move(value), start};
        }
        for (std::string_view candidate : kOperators) {
            if (text_.substr(at_).starts_with(candidate)) {
                at_ += candidate.size();
                return {Token::Type::Operator, std::string(candidate), start};
            }
        }
        while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) > ' ' &&
               (std::string_view("()<>=!:~\"").find(text_[at_]) == std::string_view::npos ||
                (wanted == Wanted::Value && text_[at_] == ':' && at_ > start))) {
            ++at_;
        }
        if (at_ == start) {
            throw FilterError{"'" + std::string(1, text_[start]) + "' does not belong here", start};
        }
        return {Token::Type::Word, std::string(text_.substr(start, at_ - start)), start};
    }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
};

class Parser {
  public:
    Parser(std::string_view text, std::int64_t now_ns) : lexer_(text), now_ns_(now_ns) {
        advance();
    }

    std::vector<std::shared_ptr<const Filter::Term>> terms;

    Test whole() {
        Test test = either();
        if (token_.type != Token::Type::End) {
            throw FilterError{"expected 'and', 'or' or the end, not '" + token_.text + "'",
                              token_.at};
        }
        return test;
    }

  private:
    void advance(Lexer::Wanted wanted = Lexer::Wanted::Any) { token_ = lexer_.next(wanted); }

    bool take_word(std::string_view word) {
        if (token_.type != Token::Type::Word || to_lower(token_.text) != word) {
            return false;
        }
        advance();
        return true;
    }

    // Terms of one level stand in a row: a chain of a thousand costs no depth, neither here nor
    // when it is asked.
    Test either() {
        std::vector<Test> parts{both()};
        while (take_word("or")) {
            parts.push_back(both());
        }
        return parts.size() == 1 ? std::move(parts.front())
                                 : Test([parts = std::move(parts)](const FilterSubject& subject) {
                                       return std::ranges::any_of(
                                           parts, [&](const Test& part) { return part(subject); });
                                   });
    }

    Test both() {
        std::vector<Test> parts{single()};
        while (take_word("and")) {
            parts.push_back(single());
        }
        return parts.size() == 1 ? std::move(parts.front())
                                 : Test([parts = std::move(parts)](const FilterSubject& subject) {
                                       return std::ranges::all_of(
                                           parts, [&](const Test& part) { return part(subject); });
                                   });
    }

    Test single() {
        if (++depth_ > kMaxDepth) {
            throw FilterError{
                "this is nested more than " + std::to_string(kMaxDepth) + " levels deep",
                token_.at};
        }
        Test test = simple();
        --depth_;
        return test;
    }

    Test simple() {
        if (take_word("not")) {
            return [inner = single()](const FilterSubject& subject) { return !inner(subject); };
        }
        if (token_.type == Token::Type::Open) {
            advance();
            Test inner = either();
            if (token_.type != Token::Type::Close) {
                throw FilterError{"expected a closing parenthesis", token_.at};
            }
            advance();
            return inner;
        }
        if (token_.type != Token::Type::Word && token_.type != Token::Type::Quoted) {
            throw FilterError{"expected a name such as lr, tag or val/loss", token_.at};
        }
        if (terms.size() >= kMaxTerms) {
            throw FilterError{
                "a filter may hold at most " + std::to_string(kMaxTerms) + " comparisons",
                token_.at};
        }
        std::string name = token_.text;
        const std::size_t at = token_.at;
        advance();
        static constexpr std::string_view kFamilies[] = {
            "config",     "summary",    "environment", "metric",
            "metric.min", "metric.max", "metric.mean", "metric.count"};
        if (token_.type == Token::Type::Operator && token_.text == ":" &&
            std::ranges::find(kFamilies, name) != std::end(kFamilies)) {
            advance();
            if (token_.type != Token::Type::Word && token_.type != Token::Type::Quoted) {
                throw FilterError{"expected a key after '" + name + ":'", token_.at};
            }
            name += ':' + token_.text;
            advance();
        }
        if (token_.type != Token::Type::Operator) {
            throw FilterError{"expected a comparison such as < or : after '" + name + "'",
                              token_.at};
        }
        const std::string op = token_.text;
        advance(Lexer::Wanted::Value);
        if (token_.type != Token::Type::Word && token_.type != Token::Type::Quoted) {
            throw FilterError{"expected a value after '" + op + "'", token_.at};
        }
        auto term = std::make_shared<const Filter::Term>(
            Filter::Term{name, op, token_.text, value_for(name, op), at});
        advance();
        terms.push_back(term);
        return [term](const FilterSubject& subject) { return term->holds(subject); };
    }

    FilterValue value_for(const std::string& name, const std::string& op) const {
        using Meaning = FilterValue::Meaning;
        const Meaning meaning = op == "~"                              ? Meaning::Any
                                : name == "started" || name == "ended" ? Meaning::Time
                                : name == "duration"                   ? Meaning::Duration
                                                                       : Meaning::Any;
        auto value = FilterValue::parse(token_.text, meaning, now_ns_);
        if (!value) {
            throw FilterError{meaning == Meaning::Time
                                  ? "'" + name + "' is a time, and '" + token_.text +
                                        "' is none: write 2026-01-31, 2026-01-31T12:30 (UTC), or "
                                        "how long ago, as 7d"
                                  : "'" + name + "' is a duration, and '" + token_.text +
                                        "' is none: write 90s, 45m, 2h, 1h30m or 3d",
                              token_.at};
        }
        return *std::move(value);
    }

    Lexer lexer_;
    Token token_;
    std::int64_t now_ns_ = 0;
    int depth_ = 0;
};

}  // namespace

std::variant<Filter, FilterError> Filter::parse(std::string_view text, std::int64_t now_ns) {
    Filter filter;
    if (trim(text).empty()) {
        return filter;
    }
    if (text.size() > kMaxFilterBytes) {
        return FilterError{"a filter may be at most " + std::to_string(kMaxFilterBytes) +
                               " bytes long, and this one has " + std::to_string(text.size()),
                           kMaxFilterBytes};
    }
    try {
        Parser parser(text, now_ns != 0 ? now_ns : wall_time_ns());
        filter.test_ = parser.whole();
        filter.terms_ = std::move(parser.terms);
    } catch (const FilterError& error) {
        return error;
    }
    return filter;
}

namespace {

std::string shortened(std::string_view text) {
    constexpr std::size_t kShown = 200;
    return text.size() <= kShown ? std::string(text) : std::string(text.substr(0, kShown)) + "…";
}

}  // namespace

Result<Filter> Filter::compile(std::string_view text, std::int64_t now_ns) {
    auto parsed = parse(text, now_ns);
    if (auto* error = std::get_if<FilterError>(&parsed)) {
        return Error{ErrorCode::InvalidArgument,
                     "filter: " + error->message + " (column " + std::to_string(error->offset + 1) +
                         " of \"" + shortened(text) + "\"); example: lr<1e-3 and tag:ablation"};
    }
    return std::get<Filter>(std::move(parsed));
}

Result<void> Filter::check(const std::vector<std::unique_ptr<FilterSubject>>& subjects) const {
    if (const auto found = fault(subjects)) {
        return Error{found->code, "filter: " + found->message};
    }
    return {};
}

std::optional<FilterError> Filter::fault(
    const std::vector<std::unique_ptr<FilterSubject>>& subjects) const {
    for (const auto& term : terms_) {
        bool known = subjects.empty() || term->name == "tag" || term->name == "tags";
        bool comparable = known;
        for (const auto& subject : subjects) {
            for (const Cell& cell : subject->values(term->name)) {
                known = true;
                comparable = comparable || term->value.is_comparable(cell, term->op);
            }
            if (comparable) {
                break;
            }
        }
        if (!known) {
            // Runs have most of their names in common.
            std::set<std::string> names;
            for (const auto& subject : subjects) {
                std::vector<std::string> of_run;
                subject->add_names(of_run);
                names.insert(std::make_move_iterator(of_run.begin()),
                             std::make_move_iterator(of_run.end()));
            }
            return FilterError{
                "no run has '" + term->name + "'" +
                    did_you_mean(term->name, std::vector<std::string>(names.begin(), names.end())) +
                    " (a field, a setting, or a metric as taffrail show lists them)",
                term->at, ErrorCode::NotFound};
        }
        if (!comparable) {
            return FilterError{"'" + term->name + "' holds numbers, and '" + term->text +
                                   "' is none: " + term->name + term->op + "1e-3 would be one",
                               term->at};
        }
    }
    return std::nullopt;
}

}  // namespace taffrail::query
