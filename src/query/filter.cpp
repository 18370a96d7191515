#include "query/filter.h"

#include "base/strings.h"
#include "model/metric_meaning.h"

#include <algorithm>
#include <cmath>

namespace taffrail::query {
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

    // A word may hold ':' behind a family name (config:lr) and every character that starts no
    // operator.
    Token next() {
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
               std::string_view("()<>=!:~\"").find(text_[at_]) == std::string_view::npos) {
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

std::optional<double> number_of(const Cell& cell) {
    if (const auto* truth = std::get_if<bool>(&cell)) {
        return *truth ? 1.0 : 0.0;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        return static_cast<double>(*whole);
    }
    if (const auto* number = std::get_if<double>(&cell)) {
        return *number;
    }
    return std::nullopt;
}

std::string text_of(const Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) {
        return *text;
    }
    if (const auto* truth = std::get_if<bool>(&cell)) {
        return *truth ? "true" : "false";
    }
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        return std::to_string(*whole);
    }
    const auto* number = std::get_if<double>(&cell);
    return number != nullptr ? format_double(*number) : std::string();
}

std::optional<double> wanted_number(std::string_view value) {
    if (value == "true" || value == "false") {
        return value == "true" ? 1.0 : 0.0;
    }
    return parse_double(value);
}

bool compare(const Cell& cell, std::string_view op, const std::string& value) {
    if (op == "~") {
        return to_lower(text_of(cell)).find(to_lower(value)) != std::string::npos;
    }
    const auto have = number_of(cell), wanted = wanted_number(value);
    if (have && wanted && cell.index() != 4) {
        if (op == "<") {
            return *have < *wanted;
        }
        if (op == "<=") {
            return *have <= *wanted;
        }
        if (op == ">") {
            return *have > *wanted;
        }
        if (op == ">=") {
            return *have >= *wanted;
        }
        return op == "!=" ? *have != *wanted : *have == *wanted;
    }
    const std::string text = text_of(cell);
    if (op == "<") {
        return text < value;
    }
    if (op == "<=") {
        return text <= value;
    }
    if (op == ">") {
        return text > value;
    }
    if (op == ">=") {
        return text >= value;
    }
    const bool equal =
        value.find_first_of("*?") != std::string::npos ? glob_match(value, text) : text == value;
    return op == "!=" ? !equal : equal;
}

class Parser {
  public:
    explicit Parser(std::string_view text) : lexer_(text) { advance(); }

    Test whole() {
        Test test = either();
        if (token_.type != Token::Type::End) {
            throw FilterError{"expected 'and', 'or' or the end, not '" + token_.text + "'",
                              token_.at};
        }
        return test;
    }

  private:
    void advance() { token_ = lexer_.next(); }

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
        if (++terms_ > kMaxTerms) {
            throw FilterError{
                "a filter may hold at most " + std::to_string(kMaxTerms) + " comparisons",
                token_.at};
        }
        std::string name = token_.text;
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
        advance();
        if (token_.type != Token::Type::Word && token_.type != Token::Type::Quoted) {
            throw FilterError{"expected a value after '" + op + "'", token_.at};
        }
        const std::string value = token_.text;
        advance();
        return [name = std::move(name), op, value](const FilterSubject& subject) {
            const std::vector<Cell> cells = subject.values(name);
            if (op == "!=") {
                return std::ranges::all_of(
                    cells, [&](const Cell& cell) { return compare(cell, op, value); });
            }
            return std::ranges::any_of(cells,
                                       [&](const Cell& cell) { return compare(cell, op, value); });
        };
    }

    Lexer lexer_;
    Token token_;
    int depth_ = 0;
    std::size_t terms_ = 0;
};

}  // namespace

std::variant<Filter, FilterError> Filter::parse(std::string_view text) {
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
        filter.test_ = Parser(text).whole();
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

Result<Filter> Filter::compile(std::string_view text) {
    auto parsed = parse(text);
    if (auto* error = std::get_if<FilterError>(&parsed)) {
        return Error{ErrorCode::InvalidArgument,
                     "filter: " + error->message + " (column " + std::to_string(error->offset + 1) +
                         " of \"" + shortened(text) + "\"); example: lr<1e-3 and tag:ablation"};
    }
    return std::get<Filter>(std::move(parsed));
}

std::vector<Cell> RunSubject::metric(std::string_view statistic, std::string_view name) const {
    const bool is_summary = statistic == "summary";
    if (is_summary || statistic == "last") {
        if (const auto found = info_.summary.find(std::string(name));
            found != info_.summary.end()) {
            return {found->second};
        }
    }
    const std::vector<KeyInfo>* const keys = keys_();
    if (keys == nullptr) {
        return {};
    }
    auto found = std::ranges::lower_bound(
        *keys, name, {}, [](const KeyInfo& key) { return std::string_view(key.key); });
    while (found != keys->end() && found->key == name && found->kind != Kind::Scalar) {
        ++found;  // a key may have had several kinds
    }
    if (found == keys->end() || found->key != name || found->scalar.count == 0) {
        return {};
    }
    const SeriesSummary& s = found->scalar;
    if (is_summary) {
        const auto value = model::summary_of(*found);
        return value ? std::vector<Cell>{Cell(*value)} : std::vector<Cell>();
    }
    const std::uint64_t numbers = s.count - std::min(s.count, s.nan_count);
    if (statistic == "count") {
        return {Cell(static_cast<std::int64_t>(s.count))};
    }
    if (statistic == "last") {
        return {Cell(s.last)};
    }
    if (numbers == 0) {
        return {};
    }
    return {Cell(statistic == "min"   ? s.min
                 : statistic == "max" ? s.max
                                      : s.sum / static_cast<double>(numbers))};
}

std::vector<Cell> RunSubject::values(std::string_view name) const {
    if (name == "tag" || name == "tags") {
        return {info_.tags.begin(), info_.tags.end()};
    }
    const std::pair<std::string_view, std::string_view> fields[] = {
        {"name", info_.name},
        {"project", info_.project},
        {"group", info_.group},
        {"job_type", info_.job_type},
        {"state", to_string(info_.state)},
        {"note", info_.notes},
        {"notes", info_.notes},
        {"id", info_.id},
        {"source", info_.source}};
    for (const auto& [field, text] : fields) {
        if (field == name) {
            return {Cell(std::string(text))};
        }
    }
    if (name == "archived") {
        return {Cell(info_.archived)};
    }
    const auto config = [&](std::string_view key) -> std::vector<Cell> {
        for (auto entry = info_.config.rbegin(); entry != info_.config.rend(); ++entry) {
            if (entry->first == key) {
                return {entry->second};
            }
        }
        return {};
    };
    if (name.starts_with("config:")) {
        return config(name.substr(7));
    }
    if (name.starts_with("summary:")) {
        const auto found = info_.summary.find(std::string(name.substr(8)));
        return found == info_.summary.end() ? std::vector<Cell>()
                                            : std::vector<Cell>{found->second};
    }
    if (name.starts_with("metric")) {
        const auto colon = name.find(':');
        if (colon != std::string_view::npos) {
            return metric(colon == 6 ? std::string_view("summary") : name.substr(7, colon - 7),
                          name.substr(colon + 1));
        }
    }
    if (auto found = config(name); !found.empty()) {
        return found;
    }
    if (auto found = metric("summary", name); !found.empty()) {
        return found;
    }
    for (std::string_view statistic : {"min", "max", "mean", "last", "count"}) {
        if (name.size() > statistic.size() + 1 && name.ends_with(statistic) &&
            name[name.size() - statistic.size() - 1] == '.') {
            if (auto found = metric(statistic, name.substr(0, name.size() - statistic.size() - 1));
                !found.empty()) {
                return found;
            }
        }
    }
    return {};
}

}  // namespace taffrail::query
