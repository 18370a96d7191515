#include "store/log_end_rows.h"

#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"
#include "io/open_files.h"
#include "model/point_rows.h"
#include "store/batch_filter.h"
#include "store/batch_records.h"
#include "store/layout.h"
#include "store/liveness.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace taffrail::store {
namespace {

/// Rows of a window beyond which the next one is small again.
constexpr std::size_t kManyRows = 128u << 10;

/// Of the frame at `offset`.
std::optional<tlog::FrameHeader> header_at(io::File& file, std::uint64_t offset) {
    Bytes bytes(tlog::kFrameHeaderBytes);
    const auto count = file.read_at(offset, bytes);
    return count.ok() ? tlog::parse_header(ByteSpan(bytes).first(*count)) : std::nullopt;
}

}  // namespace

Result<std::unique_ptr<LogEndRows>> LogEndRows::begin(const std::string& run_folder,
                                                      std::uint64_t writer, std::string key,
                                                      const Covered& covered,
                                                      std::unique_ptr<WriterData> unread) {
    std::unique_ptr<LogEndRows> rows(
        new LogEndRows(run_folder, writer, std::move(key), std::move(unread)));
    WriterLog& log = rows->writer_.log;
    TAFFRAIL_ASSIGN(const bool begun, log.begin_at_checkpoint());
    if (!begun || log.identity().writer != writer) {
        return std::unique_ptr<LogEndRows>();
    }
    const auto take = [&](const tlog::Batch& batch, FramePlace place) {
        const auto sealed = covered.find(place.file);
        if (sealed == covered.end() || place.offset >= sealed->second) {
            rows->take(batch);
        }
    };
    TAFFRAIL_TRY(log.poll(take));
    if (!log.finished() &&
        !writer_is_alive(run_folder, log.identity(), log.last_sign_of_life_ns())) {
        rows->writer_.take_orphans(run_folder,
                                   [&](const tlog::Batch& batch) { rows->take(batch); });
    }
    rows->gaps_.clear();  // the log knows them
    rows->end_seq_ = log.next_seq();
    if (!rows->open_files(covered)) {
        rows.reset();
    }
    return rows;
}

bool LogEndRows::open_files(const Covered& covered) {
    const WriterLog& log = writer_.log;
    const WriterLog::Start& start = *log.start();
    first_seq_ = end_seq_;
    bool any = false;
    for (const FileName& name : list_logs(folder_, log.identity().writer)) {
        const auto sealed = covered.find(name.number);
        const std::uint64_t begin = sealed != covered.end() ? sealed->second : 0;
        const auto reopen = [folder = folder_, url = log.url_of(name.number)] {
            return io::open_inside(folder, url);
        };
        auto file = reopen();
        if (!file.ok()) {
            return false;
        }
        const auto info = (*file)->info();
        const auto first = header_at(**file, 0);
        const auto header = begin > 0 ? header_at(**file, begin) : first;
        if (!info.ok() || !first) {
            return false;
        }
        if (info->size <= begin) {
            continue;
        }
        if (!any) {
            if (!header) {
                return false;
            }
            first_seq_ = header->first_seq;
            any = true;
        }
        const bool is_newest = name.number == start.file;
        const std::uint64_t end = is_newest ? start.offset : info->size;
        if (name.number <= start.file && end > begin) {
            files_.push_back({log.url_of(name.number),
                              LogBackwards(io::pooled(*std::move(file), reopen), begin, end,
                                           is_newest ? start.nonce : first->nonce)});
        }
    }
    return true;
}

std::optional<model::AttemptSteps> LogEndRows::steps() const {
    const tlog::FileIdentity& identity = writer_.log.identity();
    std::optional<model::AttemptSteps> steps;
    for (const LogState::Key& key : writer_.log.state().keys()) {
        const SeriesSummary& summary = key.totals.summary;
        if (key.defined && key.kind == Kind::Scalar && key.name == key_ && summary.count > 0) {
            steps = steps.value_or(model::AttemptSteps{identity.rank, identity.attempt,
                                                       summary.first_step, summary.last_step});
            steps->first_step = std::min(steps->first_step, summary.first_step);
            steps->last_step = std::max(steps->last_step, summary.last_step);
        }
    }
    return steps;
}

std::optional<std::pair<model::LogPlace, model::LogPlace>> LogEndRows::ends() const {
    const tlog::FileIdentity& who = writer_.log.identity();
    return std::pair(model::LogPlace{who.attempt, who.rank, who.writer, first_seq_},
                     model::LogPlace{who.attempt, who.rank, who.writer, end_seq_});
}

bool LogEndRows::is_wanted(std::uint32_t id) const {
    const LogState::Key* const key = writer_.log.state().key(id);
    return key != nullptr && key->kind == Kind::Scalar && key->name == key_;
}

void LogEndRows::take(const tlog::Batch& batch) {
    gaps_.insert(gaps_.end(), batch.gaps.begin(), batch.gaps.end());
    std::uint64_t first = 0, last = 0;
    if (!scalar_rows(batch, first, last)) {
        return;
    }
    if (seen_.touches(first, last)) {
        take_rows(FilteredBatch(batch, seen_).batch());
    } else {
        take_rows(batch);
    }
    seen_.insert(first, last);
}

void LogEndRows::take_rows(const tlog::Batch& batch) {
    for (const tlog::WideRows& rows : batch.wide) {
        const auto* const members = writer_.log.state().schema(rows.schema);
        if (members == nullptr || members->size() != rows.columns.size()) {
            continue;
        }
        for (std::size_t column = 0; column < members->size(); ++column) {
            if (is_wanted((*members)[column])) {
                for (std::size_t row = 0; row < rows.axes.rows(); ++row) {
                    add(rows.axes, row, rows.columns[column][row]);
                }
            }
        }
    }
    for (const tlog::LongRows& rows : batch.long_rows) {
        std::optional<std::uint32_t> id;
        bool wanted = false;
        for (std::size_t row = 0; row < rows.axes.rows(); ++row) {
            if (id != rows.key[row]) {
                id = rows.key[row];
                wanted = is_wanted(*id);
            }
            if (wanted) {
                add(rows.axes, row, rows.value[row]);
            }
        }
    }
}

void LogEndRows::add(const tlog::Axes& axes, std::size_t row, double value) {
    if ((route_of(axes, row) & tlog::kHidden) != 0) {
        return;
    }
    const tlog::FileIdentity& who = writer_.log.identity();
    Point& point = pending_.emplace_back();
    point.step = axes.step[row];
    point.time_ns = axes.time_ns[row];
    point.value = value;
    point.epoch = axes.epoch.empty() ? point.epoch : axes.epoch[row];
    point.samples = axes.samples.empty() ? point.samples : axes.samples[row];
    point.phase = axes.phase.empty() ? Phase::None : static_cast<Phase>(axes.phase[row]);
    point.attempt = who.attempt, point.rank = who.rank, point.writer = who.writer;
    point.seq = axes.seq[row];
}

bool LogEndRows::read_before(std::uint64_t count, model::ChunkBuilder& to,
                             std::vector<Damage>& damage) {
    while (pending_.empty() && !done_) {
        walk(damage);
    }
    // A window is one or a few frames, whose sections are not in order.
    if (!std::ranges::is_sorted(pending_, {}, &Point::seq)) {
        std::ranges::stable_sort(pending_, {}, &Point::seq);
    }
    const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(count, pending_.size()));
    model::add_points(to, std::span(pending_).last(rows));
    pending_.resize(pending_.size() - rows);
    return !pending_.empty() || !done_;
}

void LogEndRows::walk(std::vector<Damage>& damage) {
    if (files_.empty()) {
        done_ = true;
        return state_damage(damage);
    }
    auto& [url, backwards] = files_.back();
    const auto more = backwards.previous([&](const tlog::Batch& batch) { take(batch); });
    if (pending_.size() > kManyRows) {
        backwards.narrow();
    }
    if (!more.ok() || !*more) {
        // A file that another one followed was ended, unless it is a cut copy.
        const bool is_newest = url == writer_.log.url_of(writer_.log.start()->file);
        whole_ =
            whole_ && more.ok() && backwards.is_whole() && (is_newest || backwards.has_end_frame());
        walked_.push_back(url);
        files_.pop_back();
    }
}

void LogEndRows::state_damage(std::vector<Damage>& damage) {
    std::vector<Damage> found;
    if (whole_) {
        found = writer_.log.damage();
        for (const tlog::Gap& gap : gaps_) {
            found.push_back(damage_of(gap));
        }
    } else {
        seen_.insert(end_seq_, UINT64_MAX - 1);  // logged since
        const auto read =
            unread_->log.poll([&](const tlog::Batch& batch, FramePlace) { take(batch); });
        found = unread_->log.damage();
        if (!read.ok()) {
            found.push_back({folder_, 0, 0, 0, 0, read.error().message});
        }
        for (const std::string& url : walked_) {
            if (!io::exists_inside(folder_, url)) {
                found.push_back(
                    {url, 0, 0, 0, 0, "damaged, and gone before it could be said where"});
            }
        }
    }
    damage.insert(damage.end(), std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
}

}  // namespace taffrail::store
