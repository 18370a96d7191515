#include "model/records_by_time.h"

#include "base/try.h"
#include "model/records.h"

#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace taffrail::model {
namespace {

/// A key on its way through the log.
class Lane {
  public:
    Lane(std::string key, std::unique_ptr<ReadCursor> points)
        : key_(std::move(key)), points_(std::move(points)) {}

    Lane(std::string key, std::vector<Entry> entries)
        : key_(std::move(key)), entries_(std::move(entries)) {}

    /// Takes up the next record; false at the end.
    Result<bool> advance() {
        if (points_ == nullptr) {
            if (next_ == entries_.size()) {
                return false;
            }
            record_ = record_of(key_, entries_[next_++]);
            return true;
        }
        if (!chunk_ || next_ == chunk_->rows()) {
            TAFFRAIL_ASSIGN(auto more, points_->next());
            if (std::holds_alternative<ReadEnd>(more)) {
                return false;
            }
            chunk_ = std::get<Chunk>(std::move(more));
            next_ = 0;
        }
        record_ = record_of(key_, chunk_->point(next_++));
        return true;
    }

    [[nodiscard]] const Record& record() const noexcept { return record_; }

    [[nodiscard]] auto place() const noexcept {
        return std::tuple(record_.attempt, record_.time_ns, record_.step);
    }

  private:
    std::string key_;
    std::unique_ptr<ReadCursor> points_;
    std::optional<Chunk> chunk_;
    std::vector<Entry> entries_;
    std::size_t next_ = 0;
    Record record_;
};

Result<std::vector<std::unique_ptr<Lane>>> lanes_of(const RecordedRun& run) {
    std::vector<std::unique_ptr<Lane>> lanes;
    std::string before;  // a key of several kinds is listed once for each
    for (const KeyInfo& key : run.keys()) {
        if (key.kind == Kind::Scalar) {
            ReadRequest request;
            request.columns = Columns::all();
            request.attempts = Attempts::All;
            TAFFRAIL_ASSIGN(auto points, run.read(key.key, request));
            lanes.push_back(std::make_unique<Lane>(key.key, std::move(points)));
        } else if (key.key != before) {
            before = key.key;
            auto entries = run.entries(key.key);
            if (!entries.ok() && entries.error().code != ErrorCode::NotFound) {
                return entries.error();
            }
            if (entries.ok()) {
                lanes.push_back(std::make_unique<Lane>(key.key, *std::move(entries)));
            }
        }
    }
    return lanes;
}

}  // namespace

Result<void> visit_by_time(const RecordedRun& run,
                           const std::function<bool(const Record&)>& visit) {
    TAFFRAIL_ASSIGN(const auto lanes, lanes_of(run));
    const auto is_later = [&](std::size_t a, std::size_t b) {
        return std::tuple(lanes[a]->place(), a) > std::tuple(lanes[b]->place(), b);
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(is_later)> heads(is_later);
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        TAFFRAIL_ASSIGN(const bool has_one, lanes[i]->advance());
        if (has_one) {
            heads.push(i);
        }
    }
    while (!heads.empty()) {
        const std::size_t first = heads.top();
        heads.pop();
        if (!visit(lanes[first]->record())) {
            return {};
        }
        TAFFRAIL_ASSIGN(const bool has_more, lanes[first]->advance());
        if (has_more) {
            heads.push(first);
        }
    }
    return {};
}

}  // namespace taffrail::model
