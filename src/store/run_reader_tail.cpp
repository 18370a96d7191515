// The end of a native run: rows behind the newest checkpoint, then the log read backwards; of what
// is sealed the last rows of each table.
#include "base/try.h"
#include "model/run_tail.h"
#include "store/batch_records.h"
#include "store/layout.h"
#include "store/liveness.h"
#include "store/log_backwards.h"
#include "store/run_reader.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace taffrail::store {
namespace {

using Wanted = std::function<bool(std::string_view key)>;

bool is_wanted(const Wanted& wanted, std::string_view key) {
    return !wanted || wanted(key);
}

void add_wide(model::NewestRecords& newest, const tlog::WideRows& rows, std::size_t row,
              const WriterLog& log, const Wanted& wanted) {
    const auto* members = log.state().schema(rows.schema);
    if (members == nullptr || members->size() != rows.columns.size()) {
        return;
    }
    Record record = record_of(rows.axes, row, log.identity());
    for (std::size_t column = 0; column < members->size(); ++column) {
        const LogState::Key* key = log.state().key((*members)[column]);
        if (key != nullptr && is_wanted(wanted, key->name)) {
            record.key = key->name;
            record.scalar = rows.columns[column][row];
            newest.add(record);
        }
    }
}

/// The rows of a batch that are shown.
void add_batch(model::NewestRecords& newest, const tlog::Batch& batch, const WriterLog& log,
               const Wanted& wanted) {
    for (const tlog::WideRows& rows : batch.wide) {
        for (std::size_t row = 0; row < rows.axes.rows(); ++row) {
            if ((route_of(rows.axes, row) & tlog::kHidden) == 0 &&
                !newest.is_too_old(rows.axes.time_ns[row])) {
                add_wide(newest, rows, row, log, wanted);
            }
        }
    }
    const auto add = [&](Record record, std::uint32_t id, std::uint32_t route) {
        const LogState::Key* key = log.state().key(id);
        if (key != nullptr && (route & tlog::kHidden) == 0 && is_wanted(wanted, key->name)) {
            record.key = key->name;
            newest.add(record);
        }
    };
    for (const tlog::LongRows& rows : batch.long_rows) {
        for (std::size_t row = 0; row < rows.axes.rows(); ++row) {
            if (!newest.is_too_old(rows.axes.time_ns[row])) {
                Record record = record_of(rows.axes, row, log.identity());
                record.scalar = rows.value[row];
                add(record, rows.key[row], route_of(rows.axes, row));
            }
        }
    }
    for (const tlog::ValueRecord& value : batch.values) {
        add(record_of(value, log.identity()), value.key, value.route);
    }
}

/// The last rows of a stretch of a sealed table that one writer filled.
void add_stretch(model::NewestRecords& newest, seal::SealedFile& file, const seal::Section& section,
                 std::uint64_t first, std::uint64_t end, std::size_t count, const Wanted& wanted) {
    std::vector<const seal::SeriesEntry*> shown;
    for (const seal::SeriesEntry& entry : section.series) {
        if (is_wanted(wanted, entry.key) && !newest.is_too_old(entry.summary.last_time_ns)) {
            shown.push_back(&entry);
        }
    }
    if (shown.empty() || first >= end || count == 0) {
        return;
    }
    const std::uint64_t rows = std::min<std::uint64_t>(end - first, count);
    seal::LostRows lost;
    const std::vector<Point> axes = file.axes(end - rows, rows, lost);
    for (const seal::SeriesEntry* entry : shown) {
        seal::LostRows lost_values;
        const auto values = file.values(entry->column, end - rows, rows, lost_values);
        for (std::size_t i = 0; i < axes.size(); ++i) {
            if (lost.contains(i) || lost_values.contains(i)) {
                continue;
            }
            const Point& at = axes[i];
            Record record;
            record.key = entry->key;
            record.step = at.step, record.time_ns = at.time_ns, record.phase = at.phase;
            record.rank = at.rank, record.attempt = at.attempt;
            record.writer = at.writer, record.seq = at.seq;
            record.scalar = values[i];
            newest.add(record);
        }
    }
}

void add_sealed(model::NewestRecords& newest, const seal::SealedRun& sealed,
                const TailRequest& request) {
    struct Stretch {
        std::int64_t last_time_ns = 0;
        const std::shared_ptr<seal::SealedFile>* file = nullptr;
        const seal::Section* section = nullptr;
    };

    // The newest first: most of the others are then seen to be too old without a read.
    std::vector<Stretch> stretches;
    for (const auto& file : sealed.files()) {
        for (const seal::Section& section : file->index().sections) {
            std::int64_t last = INT64_MIN;
            for (const seal::SeriesEntry& entry : section.series) {
                last = std::max(last, entry.summary.last_time_ns);
            }
            stretches.push_back({last, &file, &section});
        }
    }
    std::ranges::stable_sort(stretches, std::greater<>(), &Stretch::last_time_ns);
    for (const Stretch& stretch : stretches) {
        if (newest.is_too_old(stretch.last_time_ns)) {
            break;
        }
        const seal::Section& section = *stretch.section;
        const std::uint64_t end = section.first_row + section.rows;
        for (const seal::WriterSpan& span : (*stretch.file)->index().writers) {
            add_stretch(newest, **stretch.file, section,
                        std::max(section.first_row, span.first_row),
                        std::min(end, span.first_row + span.rows), request.count, request.wanted);
        }
    }
    for (const seal::SealedValue* value : sealed.values()) {
        if (newest.is_too_old(value->record.time_ns) || !is_wanted(request.wanted, value->name)) {
            continue;
        }
        tlog::FileIdentity identity;
        identity.writer = value->writer.writer;
        identity.attempt = value->writer.attempt;
        identity.rank = value->writer.rank;
        Record record = record_of(value->record, identity);
        record.key = value->name;
        newest.add(record);
    }
}

}  // namespace

class NativeTail final : public RunTail {
  public:
    NativeTail(const RunReader& run, TailRequest request)
        : run_(run), request_(std::move(request)) {}

    Result<void> next(const std::function<void(const Record&)>& visit) override {
        // What was there before the first look is cut to the newest; what came since is all new.
        const bool first = std::exchange(first_, false);
        model::NewestRecords newest(first ? request_.count : SIZE_MAX);
        std::vector<std::uint64_t> ids;
        std::shared_ptr<seal::SealedRun> sealed;
        {
            const std::shared_lock lock(run_.mutex_);
            ids = all_writers(run_.folder_, run_.manifest_);
            sealed = run_.sealed_;
            for (const std::uint64_t id : ids) {
                if (!writers_.contains(id)) {
                    writers_.emplace(id, run_.make_writer(id));
                    fresh_.insert(id);
                }
            }
        }
        if (first && sealed != nullptr) {
            add_sealed(newest, *sealed, request_);
        }
        for (const auto& [id, writer] : writers_) {
            TAFFRAIL_TRY(take(newest, *writer, fresh_.erase(id) > 0 && first));
        }
        newest.give(visit);
        return {};
    }

  private:
    Result<void> take(model::NewestRecords& newest, WriterData& writer, bool with_earlier) {
        WriterLog& log = writer.log;
        if (with_earlier) {
            TAFFRAIL_TRY(log.begin_at_checkpoint());
        }
        std::uint64_t seen = 0;
        const auto add = [&](const tlog::Batch& batch, FramePlace) {
            seen += with_earlier ? wanted_rows(batch, log) : 0;
            add_batch(newest, batch, log, request_.wanted);
        };
        TAFFRAIL_TRY(log.poll(add));
        if (with_earlier && log.start()) {
            TAFFRAIL_TRY(read_backwards(newest, log, seen));
        }
        if (!log.finished() &&
            !writer_is_alive(run_.folder_, log.identity(), log.last_sign_of_life_ns())) {
            writer.take_orphans(run_.folder_,
                                [&](const tlog::Batch& batch) { add(batch, FramePlace{}); });
        }
        return {};
    }

    /// Until a whole window brought nothing newer than what is kept: rows are logged in the order
    /// of their times, but for values, which come a little late. `seen`: how many wanted records
    /// the newest frames had.
    Result<void> read_backwards(model::NewestRecords& newest, const WriterLog& log,
                                std::uint64_t seen) const {
        std::vector<FileName> files = list_logs(run_.folder_, log.identity().writer);
        std::ranges::reverse(files);
        const std::uint64_t wanted_in_all = count_wanted(log);
        if (seen >= wanted_in_all) {
            return {};
        }
        for (const FileName& name : files) {
            if (name.number > log.start()->file) {
                continue;
            }
            WriterLog::Start from = *log.start();
            const std::string url = log.url_of(name.number);
            if (name.number != from.file) {
                auto last = find_last_checkpoint(url);
                if (!last.ok()) {
                    continue;  // no log, or damaged from end to end: verify says so
                }
                from = {name.number, last->file_bytes, last->nonce};
            }
            LogBackwards backwards(url, from.offset, from.nonce);
            for (bool more = true; more;) {
                // A window may hold a checkpoint alone: that says nothing about what is older.
                bool any_rows = false, any_newer = false;
                TAFFRAIL_ASSIGN(more, backwards.previous([&](const tlog::Batch& batch) {
                    any_rows = true;
                    seen += wanted_rows(batch, log);
                    any_newer |= has_newer(newest, batch);
                    add_batch(newest, batch, log, request_.wanted);
                }));
                if ((more && any_rows && !any_newer) || seen >= wanted_in_all) {
                    return {};
                }
            }
        }
        return {};
    }

    /// So that a key logged once, long ago, does not cost a walk over everything before it.
    [[nodiscard]] std::uint64_t count_wanted(const WriterLog& log) const {
        std::uint64_t count = 0;
        for (const LogState::Key& key : log.state().keys()) {
            count +=
                key.defined && is_wanted(request_.wanted, key.name) ? key.totals.summary.count : 0;
        }
        return count;
    }

    [[nodiscard]] std::uint64_t wanted_rows(const tlog::Batch& batch, const WriterLog& log) const {
        const auto wanted = [&](std::uint32_t id) -> std::uint64_t {
            const LogState::Key* key = log.state().key(id);
            return key != nullptr && is_wanted(request_.wanted, key->name) ? 1 : 0;
        };
        std::uint64_t count = 0;
        for (const tlog::WideRows& rows : batch.wide) {
            const auto* members = log.state().schema(rows.schema);
            for (std::size_t i = 0; members != nullptr && i < members->size(); ++i) {
                count += wanted((*members)[i]) * rows.axes.rows();
            }
        }
        for (const tlog::LongRows& rows : batch.long_rows) {
            for (const std::uint32_t id : rows.key) {
                count += wanted(id);
            }
        }
        for (const tlog::ValueRecord& value : batch.values) {
            count += wanted(value.key);
        }
        return count;
    }

    static bool has_newer(const model::NewestRecords& newest, const tlog::Batch& batch) {
        const auto any = [&newest](std::span<const std::int64_t> times) {
            return std::ranges::any_of(
                times, [&newest](std::int64_t time) { return !newest.is_too_old(time); });
        };
        return std::ranges::any_of(
                   batch.wide,
                   [&](const tlog::WideRows& rows) { return any(rows.axes.time_ns); }) ||
               std::ranges::any_of(
                   batch.long_rows,
                   [&](const tlog::LongRows& rows) { return any(rows.axes.time_ns); }) ||
               std::ranges::any_of(batch.values, [&](const tlog::ValueRecord& value) {
                   return !newest.is_too_old(value.time_ns);
               });
    }

    const RunReader& run_;
    const TailRequest request_;
    std::map<std::uint64_t, std::unique_ptr<WriterData>> writers_;
    std::set<std::uint64_t> fresh_;
    bool first_ = true;
};

Result<std::unique_ptr<RunTail>> RunReader::tail(TailRequest request) const {
    return std::unique_ptr<RunTail>(std::make_unique<NativeTail>(*this, std::move(request)));
}

}  // namespace taffrail::store
