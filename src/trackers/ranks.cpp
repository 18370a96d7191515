#include "trackers/ranks.h"

#include <optional>
#include <utility>

namespace taffrail::trackers {
namespace {

constexpr std::string_view kWord = "rank";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// "rank_N" at the end of a name, with one underscore or several; N from 1 on, without zeros in
/// front.
struct Mark {
    std::size_t begin = 0;  ///< of the word
    std::size_t underscores = 0;
};

std::optional<Mark> mark_of(std::string_view name) noexcept {
    std::size_t digits = name.size();
    while (digits > 0 && is_digit(name[digits - 1])) {
        --digits;
    }
    if (digits == name.size() || name[digits] == '0') {
        return std::nullopt;
    }
    std::size_t line = digits;
    while (line > 0 && name[line - 1] == '_') {
        --line;
    }
    return line < digits && name.substr(0, line).ends_with(kWord)
               ? std::optional(Mark{line - kWord.size(), digits - line})
               : std::nullopt;
}

/// With one underscore more, so that one alone is ours.
std::string lengthened(std::string_view name, const Mark& mark) {
    return std::string(name).insert(mark.begin + kWord.size(), "_");
}

/// Behind a name: "/rank_N".
std::optional<Mark> suffix_of(std::string_view name) noexcept {
    const auto mark = mark_of(name);
    return mark && mark->begin > 0 && name[mark->begin - 1] == '/' ? mark : std::nullopt;
}

/// In front of a setting: "rank_N/".
std::optional<Mark> prefix_of(std::string_view name) noexcept {
    const std::size_t slash = name.find('/');
    const auto mark =
        slash != std::string_view::npos ? mark_of(name.substr(0, slash)) : std::nullopt;
    return mark && mark->begin == 0 ? mark : std::nullopt;
}

void rename(Hparams& values, std::int32_t rank) {
    for (auto& [name, cell] : values) {
        name = setting_of_rank(name, rank);
    }
}

}  // namespace

Result<void> check_ranks(const std::string& text) {
    if (text == "zero" || text == "all") {
        return {};
    }
    return Error{ErrorCode::InvalidArgument, "ranks '" + text + "' are not known; use zero or all"};
}

std::string rank_suffix(std::int32_t rank) {
    return rank > 0 ? "/" + std::string(kWord) + "_" + std::to_string(rank) : std::string();
}

std::string name_of_rank(std::string_view name, std::int32_t rank) {
    const auto mark = suffix_of(name);
    return (mark ? lengthened(name, *mark) : std::string(name)) + rank_suffix(rank);
}

std::string setting_of_rank(std::string_view name, std::int32_t rank) {
    const auto mark = prefix_of(name);
    const std::string own = mark ? lengthened(name, *mark) : std::string(name);
    return rank > 0 ? rank_suffix(rank).substr(1) + "/" + own : own;
}

std::string line_of_rank(std::string text, std::int32_t rank) {
    return rank > 0 ? "[rank " + std::to_string(rank) + "] " + text : text;
}

RankedName split_rank(std::string_view name) noexcept {
    const auto mark = suffix_of(name);
    return mark && mark->underscores == 1
               ? RankedName{name.substr(0, mark->begin - 1), name.substr(mark->begin - 1)}
               : RankedName{name, {}};
}

void RankedRecords::remember(const Hparams& values) {
    for (const auto& [name, cell] : values) {
        said_.insert_or_assign(name, cell);
    }
}

SinkContext RankedRecords::begin(SinkContext context) {
    remember(context.config);
    rename(context.config, 0);
    rename(context.summary, 0);
    return context;
}

const std::string& RankedRecords::name_of(std::string_view key, std::int32_t rank) {
    KeyOrder<const std::string>& order = order_[rank];
    if (const std::string* known = order.find(key); known != nullptr) {
        return *known;
    }
    return order.add(key, std::as_const(names_.emplace_back(name_of_rank(key, rank))));
}

const Record* RankedRecords::changed(const Record& record, Value value) {
    value_ = std::move(value);
    record_ = record;
    record_.value = &value_;
    return &record_;
}

const Record* RankedRecords::told(const Record& record) {
    const bool is_other = record.rank > 0;
    if (record.kind == Kind::Hparams) {
        Hparams values = std::get<Hparams>(*record.value);
        if (is_other) {
            std::erase_if(values, [&](const auto& value) {
                const auto known = said_.find(value.first);
                return known != said_.end() && known->second == value.second;
            });
        } else {
            remember(values);
        }
        rename(values, record.rank);
        return values.empty() ? nullptr : changed(record, std::move(values));
    }
    if (record.kind == Kind::Summary) {
        SummaryValues summary = std::get<SummaryValues>(*record.value);
        rename(summary.values, record.rank);
        return changed(record, std::move(summary));
    }
    if (record.kind == Kind::Artifact) {
        Artifact artifact = std::get<Artifact>(*record.value);
        artifact.name = name_of_rank(artifact.name, record.rank);
        changed(record, std::move(artifact));
        record_.key = name_of(record.key, record.rank);
        return &record_;
    }
    if (record.kind == Kind::Alert && is_other) {
        Alert alert = std::get<Alert>(*record.value);
        alert.title = "rank " + std::to_string(record.rank) + ": " + alert.title;
        return changed(record, std::move(alert));
    }
    const bool is_of_the_run = record.kind == Kind::Alert || record.kind == Kind::Tag ||
                               record.kind == Kind::Note || record.kind == Kind::MetricDefinition;
    if (is_of_the_run || keys_ == KeysOfRanks::Context || (!is_other && !suffix_of(record.key))) {
        return &record;
    }
    record_ = record;
    record_.key = name_of(record.key, record.rank);
    return &record_;
}

}  // namespace taffrail::trackers
