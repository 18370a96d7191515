// The run filter language: `lr<1e-3 and tag:ablation`, `not (state:failed or name~"debug")`,
// `val/loss.min <= 0.2`, `started>2026-01-31 and duration>2h`.
//
//   expression = term { ("or" | "and") term } with "and" binding tighter, "not", parentheses
//   term       = NAME OPERATOR VALUE      operators: < <= > >= = == != : ~
// A NAME is a field (name, project, group, job_type, state, tag, note, id, source, archived,
// started, ended, duration), a configuration key, a summary key, or a metric with .min .max .mean
// .last .count; "config:lr", "metric.min:val/loss" say which when names clash. `:` and `=` compare
// for equality (tags: membership; texts may hold * and ?), `~` asks whether the text contains the
// value, ignoring case. Numbers are compared exactly, NaN equals NaN and nothing else; times and
// durations are written as filter_value.h says. Names and values with spaces or operators stand in
// double quotes. A run that lacks the name matches only `!=`. At most 64 KiB, 1,000 comparisons and
// 100 levels.
#pragma once

#include <taffrail/reader.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace taffrail::query {

/// Where a filter looks things up: everything a name may mean for one run, in order of precedence.
class FilterSubject {
  public:
    virtual ~FilterSubject() = default;
    /// The values called `name` (tags have several); empty when the run has none.
    [[nodiscard]] virtual std::vector<Cell> values(std::string_view name) const = 0;

    /// Adds every name that values() knows, for suggestions.
    virtual void add_names(std::vector<std::string>& /*to*/) const {}
};

/// A subject made of what every reader offers. A metric's bare name means the summary it was
/// defined with (Run::define_metric), else its last value.
class RunSubject final : public FilterSubject {
  public:
    /// Keys, sorted by name, when a name is neither a field nor a setting; null when there are
    /// none.
    using Keys = std::function<const std::vector<KeyInfo>*()>;

    RunSubject(const RunInfo& info, const std::vector<KeyInfo>* keys)
        : info_(info), keys_([keys] { return keys; }) {}

    /// Opening a run is dear where a setting decides. `keys` keeps what it read: it is asked again.
    RunSubject(const RunInfo& info, Keys keys) : info_(info), keys_(std::move(keys)) {}

    [[nodiscard]] std::vector<Cell> values(std::string_view name) const override;
    void add_names(std::vector<std::string>& to) const override;

  private:
    [[nodiscard]] std::vector<Cell> metric(std::string_view statistic, std::string_view name) const;
    const RunInfo& info_;
    Keys keys_;
};

struct FilterError {
    std::string message;
    std::size_t offset = 0;  ///< byte in the text
    ErrorCode code = ErrorCode::InvalidArgument;
};

class Filter {
  public:
    /// Parses; on failure the error says what was expected and where. `now_ns`: what "7d ago"
    /// counts from; the clock where it is 0.
    static std::variant<Filter, FilterError> parse(std::string_view text, std::int64_t now_ns = 0);
    /// The same as a Result whose message points at the place.
    static Result<Filter> compile(std::string_view text, std::int64_t now_ns = 0);

    [[nodiscard]] bool matches(const FilterSubject& subject) const {
        return !test_ || test_(subject);
    }

    [[nodiscard]] bool empty() const noexcept { return !test_; }

    /// Whether the filter makes sense for these runs: an error where none of them has a name, with
    /// the nearest one, or where a name holds numbers and is compared with a text.
    [[nodiscard]] Result<void> check(
        const std::vector<std::unique_ptr<FilterSubject>>& subjects) const;
    /// The same, with the place of the comparison.
    [[nodiscard]] std::optional<FilterError> fault(
        const std::vector<std::unique_ptr<FilterSubject>>& subjects) const;

    /// One comparison.
    struct Term;

  private:
    std::function<bool(const FilterSubject&)> test_;
    std::vector<std::shared_ptr<const Term>> terms_;
};

}  // namespace taffrail::query
