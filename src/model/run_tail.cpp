#include "model/run_tail.h"

#include "base/try.h"

#include <algorithm>
#include <map>

namespace taffrail {
namespace model {

void NewestRecords::add(const Record& record) {
    if (is_too_old(record.time_ns)) {
        return;
    }
    kept_.insert({record.time_ns, record.writer, record.seq, std::string(record.key), record});
    if (kept_.size() > count_) {
        kept_.erase(kept_.begin());
    }
}

void NewestRecords::give(const std::function<void(const Record&)>& visit) {
    for (const Kept& kept : kept_) {
        Record record = kept.record;
        record.key = kept.key;
        visit(record);
    }
    kept_.clear();
}

}  // namespace model

namespace {

/// For sources that hold their points in memory anyway: what is behind the last look, by count.
class CountingTail final : public RunTail {
  public:
    CountingTail(const RecordedRun& run, TailRequest request)
        : run_(run), request_(std::move(request)) {}

    Result<void> next(const std::function<void(const Record&)>& visit) override {
        model::NewestRecords newest(first_ ? request_.count : SIZE_MAX);
        first_ = false;
        for (const KeyInfo& key : run_.keys()) {
            // Counts are of points that count: they may fall when a run is resumed.
            Seen& seen = seen_[{key.key, key.kind}];
            const std::pair now(key.count, key.scalar.last_time_ns);
            if ((seen.items > 0 && seen.key == now) ||
                (request_.wanted && !request_.wanted(key.key))) {
                continue;
            }
            seen.key = now;
            if (key.kind == Kind::Scalar) {
                TAFFRAIL_ASSIGN(const auto points, run_.points(key.key));
                add(newest, key, points, seen.items);
            } else {
                TAFFRAIL_ASSIGN(const auto entries, run_.entries(key.key));
                add(newest, key, entries, seen.items);
            }
        }
        newest.give(visit);
        return {};
    }

  private:
    struct Seen {
        std::size_t items = 0;
        std::pair<std::uint64_t, std::int64_t> key;  ///< count and last time when they were
    };

    template <typename Item>
    static void add(model::NewestRecords& newest, const KeyInfo& key,
                    const std::vector<Item>& items, std::size_t& seen) {
        for (std::size_t i = std::min(seen, items.size()); i < items.size(); ++i) {
            const Item& item = items[i];
            if constexpr (!requires { item.value - 1.0; }) {
                if (kind_of(*item.value) != key.kind) {
                    continue;
                }
            }
            Record record;
            record.key = key.key;
            record.kind = key.kind;
            record.step = item.step, record.time_ns = item.time_ns;
            record.phase = item.phase, record.rank = item.rank, record.attempt = item.attempt;
            record.writer = item.writer;
            record.seq = item.seq != 0 ? item.seq : i;  // foreign formats number nothing
            if constexpr (requires { item.value - 1.0; }) {
                record.scalar = item.value;
            }
            newest.add(record);
        }
        seen = items.size();
    }

    const RecordedRun& run_;
    const TailRequest request_;
    std::map<std::pair<std::string, Kind>, Seen> seen_;  ///< a key may have several kinds
    bool first_ = true;
};

}  // namespace

Result<std::unique_ptr<RunTail>> RecordedRun::tail(TailRequest request) const {
    return std::unique_ptr<RunTail>(std::make_unique<CountingTail>(*this, std::move(request)));
}

}  // namespace taffrail
