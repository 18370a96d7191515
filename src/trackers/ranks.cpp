#include "trackers/ranks.h"

#include "codec/escaped_names.h"

#include <utility>

namespace taffrail::trackers {
namespace {

constexpr std::string_view kMark = "/rank_";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Where "/rank_N" begins that `name` ends with; npos where it does not. N as it is written: from 1
/// on, without zeros in front.
std::size_t suffix_of(std::string_view name) noexcept {
    std::size_t digits = name.size();
    while (digits > 0 && is_digit(name[digits - 1])) {
        --digits;
    }
    const bool is_number = digits < name.size() && name[digits] != '0';
    return is_number && name.substr(0, digits).ends_with(kMark) ? digits - kMark.size()
                                                                : std::string_view::npos;
}

/// Whether `name` begins as a setting of another rank does: "rank_N/".
bool has_prefix(std::string_view name) {
    const std::size_t slash = name.find('/');
    return slash != std::string_view::npos &&
           suffix_of("/" + std::string(name.substr(0, slash))) == 0;
}

/// `taken`: where the underscore stands that would make it another rank's; npos where none does.
std::string escaped(std::string_view name, std::size_t taken) {
    return escape_name(name, [&](std::string_view, std::size_t i) { return i == taken; });
}

/// What rank 0 calls so keeps its name.
bool is_plain(std::string_view name) noexcept {
    return name.empty() ||
           (name.find('%') == std::string_view::npos && suffix_of(name) == std::string_view::npos);
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
    return rank > 0 ? std::string(kMark) + std::to_string(rank) : std::string();
}

std::string name_of_rank(std::string_view name, std::int32_t rank) {
    if (rank <= 0 && is_plain(name)) {
        return std::string(name);
    }
    const std::size_t suffix = suffix_of(name);
    return escaped(name, suffix == std::string_view::npos ? suffix : suffix + kMark.size() - 1) +
           rank_suffix(rank);
}

std::string setting_of_rank(std::string_view name, std::int32_t rank) {
    const bool is_taken = has_prefix(name);
    if (rank <= 0 && (name.empty() || (!is_taken && name.find('%') == std::string_view::npos))) {
        return std::string(name);
    }
    constexpr std::size_t kUnderscore = std::string_view("rank").size();
    const std::string own = escaped(name, is_taken ? kUnderscore : std::string_view::npos);
    return rank > 0 ? rank_suffix(rank).substr(1) + "/" + own : own;
}

std::string line_of_rank(std::string text, std::int32_t rank) {
    return rank > 0 ? "[rank " + std::to_string(rank) + "] " + text : text;
}

RankedName split_rank(std::string_view name) noexcept {
    const std::size_t suffix = suffix_of(name);
    return suffix == std::string_view::npos
               ? RankedName{name, {}}
               : RankedName{name.substr(0, suffix), name.substr(suffix)};
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
    if (is_of_the_run || keys_ == KeysOfRanks::Context || (!is_other && is_plain(record.key))) {
        return &record;
    }
    record_ = record;
    record_.key = name_of(record.key, record.rank);
    return &record_;
}

}  // namespace taffrail::trackers
