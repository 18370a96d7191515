// The keys of a native run and what is known of each without reading it; where attempts overlap,
// of the points that count.
#include "base/strings.h"
#include "model/series_cursor.h"
#include "model/series_summary.h"
#include "store/run_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <set>

namespace taffrail::store {
namespace {

constexpr std::size_t kMaxKeptSummaries = 16384;

SeriesSummary summary_below(const std::vector<SeriesPiece>& pieces, Step end) {
    SeriesTotals totals;  // pieces overlap: the row numbers tell which point is the newest
    for (const SeriesPiece& piece : pieces) {
        const auto& values = piece.series->values();
        const auto& step = piece.table->axes->step().values;
        const auto& time = piece.table->axes->time().values;
        for (std::size_t row = 0; row < values.size(); ++row) {
            if (step[row] < end) {
                totals.add(values[row], step[row], time[row], piece.table->seq[row]);
            }
        }
    }
    return totals.summary;
}

}  // namespace

std::vector<KeyInfo> RunReader::listed(const MergedKeys& merged) const {
    std::vector<KeyInfo> result;
    for (const auto& [name, summary] : merged) {
        result.push_back({name.first, name.second, summary.count,
                          name.second == Kind::Scalar ? summary : SeriesSummary{}});
        result.back().definition = model::definition_of(name.first, definitions_);
        if (name.second != Kind::Scalar) {
            SeriesSummary& places = result.back().scalar;
            places.first_step = summary.first_step;
            places.last_step = summary.last_step;
            places.first_time_ns = summary.first_time_ns;
            places.last_time_ns = summary.last_time_ns;
        }
    }
    return result;
}

// Of every point, also of those that later attempts superseded.
RunReader::MergedKeys RunReader::stored_totals() const {
    std::map<std::pair<std::string, Kind>, std::vector<SeriesSummary>> parts;
    for (const auto& [id, writer] : writers_) {
        for (const LogState::Key& key : writer->log.state().keys()) {
            if (key.defined && key.totals.summary.count > 0) {
                parts[{key.name, key.kind}].push_back(key.totals.summary);
            }
        }
    }
    for (const KeyInfo& key : sealed_ != nullptr ? sealed_->keys() : std::vector<KeyInfo>()) {
        SeriesSummary summary = key.scalar;
        summary.count = key.count;
        parts[{key.key, key.kind}].push_back(summary);
    }
    MergedKeys merged;
    for (auto& [name, summaries] : parts) {
        merged[name] = model::merged(std::move(summaries));
    }
    return merged;
}

std::vector<KeyInfo> RunReader::keys() const {
    MergedKeys merged;
    std::vector<std::string> logged_again;
    bool is_doubtful = false;
    {
        const std::shared_lock lock(mutex_);
        is_doubtful = doubt_;
        if (!is_doubtful) {
            merged = stored_totals();
            logged_again = keys_logged_again();
        }
    }
    if (is_doubtful) {
        return keys_in_doubt();
    }
    const bool all_read = !logged_again.empty() && ensure(WriterData::Depth::Everything).ok();
    const std::shared_lock lock(mutex_);
    if (all_read) {
        for (const std::string& key : logged_again) {
            merged[{key, Kind::Scalar}] = winning_summary(key);
        }
    }
    return listed(merged);
}

std::vector<std::string> RunReader::keys_logged_again() const {
    const std::vector<model::AttemptProcess> all = processes();
    const bool one_attempt = std::ranges::all_of(
        all, [&](const auto& each) { return each.attempt == all.front().attempt; });
    if (one_attempt && sealed_ == nullptr) {
        return {};
    }
    std::map<std::string, std::vector<model::AttemptSteps>> logged;
    for (const auto& [id, writer] : writers_) {
        const tlog::FileIdentity& identity = writer->log.identity();
        for (const LogState::Key& key : writer->log.state().keys()) {
            const SeriesSummary& summary = key.totals.summary;
            if (key.defined && key.kind == Kind::Scalar && summary.count > 0) {
                logged[key.name].push_back(
                    {identity.rank, identity.attempt, summary.first_step, summary.last_step});
            }
        }
    }
    for (const KeyInfo& key : sealed_ != nullptr ? sealed_->keys() : std::vector<KeyInfo>()) {
        for (const model::AttemptSteps& steps : sealed_->attempt_steps(key.key)) {
            logged[key.key].push_back(steps);
        }
    }
    std::vector<std::string> again;
    for (const auto& [key, steps] : logged) {
        if (model::may_supersede(all, steps)) {
            again.push_back(key);
        }
    }
    return again;
}

// Processes that lost nothing are known by their totals; the points of the others are read. Those
// are of older attempts and grow no more, so what they add up to is kept.
SeriesSummary RunReader::winning_summary(const std::string& key) const {
    std::vector<model::AttemptSteps> logged = sealed_steps(key);
    const std::size_t sealed_processes = logged.size();
    std::vector<std::pair<const WriterData*, std::vector<SeriesPiece>>> live;
    for (const WriterData* writer : ordered_writers()) {
        if (std::vector<SeriesPiece> pieces = writer->tables.pieces(key); !pieces.empty()) {
            for (const SeriesPiece& piece : pieces) {
                logged.push_back(exact_steps(*writer, piece));
            }
            live.emplace_back(writer, std::move(pieces));
        }
    }
    const model::WinningRule rule(processes(), logged);
    std::vector<SeriesSummary> parts;
    if (sealed_processes > 0) {
        logged.resize(sealed_processes);
        parts.push_back(sealed_winners(key, logged, rule));
    }
    for (const auto& [writer, pieces] : live) {
        const tlog::FileIdentity& identity = writer->log.identity();
        const auto from = rule.superseded_from(identity.rank, identity.attempt);
        if (!from) {
            for (const LogState::Key& known : writer->log.state().keys()) {
                if (known.name == key && known.kind == Kind::Scalar) {
                    parts.push_back(known.totals.summary);
                }
            }
            continue;
        }
        std::size_t points = 0;
        for (const SeriesPiece& piece : pieces) {
            points += piece.series->points();
        }
        parts.push_back(
            kept_summary(fmt::format("{} {} {} {}", identity.writer, points, *from, key),
                         [&] { return summary_below(pieces, *from); }));
    }
    return model::merged(std::move(parts));
}

void RunReader::visit_sealed(const std::string& key, Columns columns,
                             const std::function<void(const Point&)>& visit) const {
    model::SeriesRows series;
    series.sources = sealed_->rows(key);
    ReadRequest request;
    request.columns = columns;
    request.attempts = Attempts::All;
    const auto cursor = model::make_cursor(std::move(series), request);
    (void)model::for_each_chunk(*cursor, [&](const Chunk& chunk) {
        for (std::size_t row = 0; row < chunk.rows(); ++row) {
            visit(chunk.point(row));
        }
        return Result<void>();
    });
}

std::vector<model::AttemptSteps> RunReader::sealed_steps(const std::string& key) const {
    if (!is_sealed(key)) {
        return {};
    }
    {
        const std::scoped_lock lock(cache_mutex_);
        if (const auto known = sealed_steps_.find(key);
            known != sealed_steps_.end() && known->second.first == manifest_.number) {
            return known->second.second;
        }
    }
    std::vector<model::AttemptSteps> steps;
    visit_sealed(key, {Column::Step, Column::Rank, Column::Attempt},
                 [&](const Point& point) { model::take_step(steps, point); });
    const std::scoped_lock lock(cache_mutex_);
    sealed_steps_[key] = {manifest_.number, steps};
    return steps;
}

SeriesSummary RunReader::sealed_winners(const std::string& key,
                                        const std::vector<model::AttemptSteps>& logged,
                                        const model::WinningRule& rule) const {
    std::string name = fmt::format("sealed {} {}", manifest_.number, key);
    bool all_win = true;
    for (const model::AttemptSteps& steps : logged) {
        const auto from = rule.superseded_from(steps.rank, steps.attempt);
        all_win = all_win && !from;
        name += fmt::format("\n{} {} {}", steps.rank, steps.attempt,
                            from ? std::to_string(*from) : std::string());
    }
    if (all_win) {
        const auto& keys = sealed_->keys();
        const auto found = std::ranges::find_if(keys, [&](const KeyInfo& each) {
            return each.key == key && each.kind == Kind::Scalar;
        });
        return found != keys.end() ? found->scalar : SeriesSummary{};
    }
    return kept_summary(name, [&] {
        SeriesSummary winners;
        visit_sealed(key,
                     {Column::Step, Column::Time, Column::Value, Column::Rank, Column::Attempt},
                     [&](const Point& point) {
                         if (rule.wins(point)) {
                             model::add_point(winners, point.value, point.step, point.time_ns);
                         }
                     });
        return winners;
    });
}

SeriesSummary RunReader::kept_summary(const std::string& name,
                                      const std::function<SeriesSummary()>& make) const {
    {
        const std::scoped_lock lock(cache_mutex_);
        if (const auto known = winning_parts_.find(name); known != winning_parts_.end()) {
            return known->second;
        }
    }
    const SeriesSummary summary = make();
    const std::scoped_lock lock(cache_mutex_);
    if (winning_parts_.size() >= kMaxKeptSummaries) {
        winning_parts_.clear();
    }
    return winning_parts_[name] = summary;
}

// Logs and sealed files hold the same rows, each with holes of its own: only the points tell.
std::vector<KeyInfo> RunReader::keys_in_doubt() const {
    if (!ensure(WriterData::Depth::Everything).ok()) {
        return {};
    }
    const std::shared_lock lock(mutex_);
    std::set<std::pair<std::string, Kind>> kinds;  // a key may have had several
    for (const auto& [id, writer] : writers_) {
        for (const LogState::Key& key : writer->log.state().keys()) {
            if (key.defined && key.totals.summary.count > 0) {
                kinds.emplace(key.name, key.kind);
            }
        }
    }
    for (const KeyInfo& key : sealed_ != nullptr ? sealed_->keys() : std::vector<KeyInfo>()) {
        kinds.emplace(key.key, key.kind);
    }
    MergedKeys merged;
    for (const auto& [name, kind] : kinds) {
        SeriesSummary totals;
        const auto add = [&totals](const auto& at, double value) {
            model::add_point(totals, value, at.step, at.time_ns);
        };
        if (kind == Kind::Scalar) {
            auto points = collect(name, pieces(name));
            for (const Point& point : model::choose_attempt(
                     points.ok() ? *std::move(points) : std::vector<Point>(), processes(), {})) {
                add(point, point.value);
            }
        } else {
            bool known = false;
            for (const Entry& entry : collect_entries(name, known)) {
                if (kind_of(*entry.value) == kind) {
                    add(entry, 0);
                }
            }
        }
        if (totals.count > 0) {
            merged[{name, kind}] = totals;
        }
    }
    return listed(merged);
}

std::vector<std::string> RunReader::key_names() const {
    std::vector<std::string> names;
    for (const auto& [id, writer] : writers_) {
        for (const LogState::Key& key : writer->log.state().keys()) {
            if (key.defined) {
                names.push_back(key.name);
            }
        }
    }
    for (const KeyInfo& key : sealed_ != nullptr ? sealed_->keys() : std::vector<KeyInfo>()) {
        names.push_back(key.key);
    }
    return names;
}

Error RunReader::no_such_key(std::string_view key) const {
    return {ErrorCode::NotFound,
            fmt::format("run {} has no key '{}'{}", info_.id, key, did_you_mean(key, key_names()))};
}

}  // namespace taffrail::store
