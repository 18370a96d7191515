// Series and blobs of gathered runs.
#include "base/try.h"
#include "model/gathered_run.h"
#include "model/series_summary.h"

#include <cmath>
#include <cstring>

namespace taffrail::model {
namespace {

constexpr std::string_view kMark("gathered", 8);

}  // namespace

void GatheredSeries::add(Step at, std::int64_t time, double number) {
    step.push_back(at);
    time_ns.push_back(time);
    value.push_back(number);
    if (!epoch.empty()) {
        epoch.push_back(std::nan(""));
    }
    add_point(summary, number, at, time);
}

void GatheredSeries::add(Step at, std::int64_t time, double number, double at_epoch) {
    const bool has_column = !epoch.empty() || !std::isnan(at_epoch);
    if (has_column) {
        epoch.resize(value.size(), std::nan(""));
    }
    step.push_back(at);
    time_ns.push_back(time);
    value.push_back(number);
    if (has_column) {
        epoch.push_back(at_epoch);
    }
    add_point(summary, number, at, time);
}

void GatheredSeries::begin(std::uint32_t attempt, std::int32_t rank, Phase phase) {
    const Stretch now{value.size(), attempt, rank, phase};
    if (stretches.empty() ? attempt != 0 || rank != 0 || phase != Phase::None
                          : stretches.back().attempt != attempt || stretches.back().rank != rank ||
                                stretches.back().phase != phase) {
        if (stretches.empty() && now.first > 0) {
            stretches.push_back({});
        }
        stretches.push_back(now);
    }
}

Point GatheredSeries::point(std::size_t index) const noexcept {
    Point point;
    point.step = step[index];
    point.time_ns = time_ns[index];
    point.value = value[index];
    if (!epoch.empty()) {
        point.epoch = epoch[index];
    }
    for (const Stretch& one : stretches) {
        if (one.first > index) {
            break;
        }
        point.attempt = one.attempt;
        point.rank = one.rank;
        point.phase = one.phase;
    }
    point.writer = point.attempt;
    point.seq = index;
    return point;
}

Blob GatheredBlobs::add(std::uint64_t size, Load load) {
    std::lock_guard lock(mutex_);
    Blob blob;
    blob.ref.size = size;
    std::memcpy(blob.ref.sha256.data(), kMark.data(), kMark.size());
    store_at(blob.ref.sha256.data() + 8, static_cast<std::uint64_t>(loads_.size()));
    store_at(blob.ref.sha256.data() + 16, size);
    loads_.push_back(std::move(load));
    return blob;
}

Blob GatheredBlobs::add(Bytes bytes) {
    const std::uint64_t size = bytes.size();
    auto kept = std::make_shared<const Bytes>(std::move(bytes));
    return add(size, [kept]() -> Result<Bytes> { return *kept; });
}

Result<Bytes> GatheredBlobs::load(const BlobRef& ref) const {
    Load load;
    {
        std::lock_guard lock(mutex_);
        const auto number = taffrail::load<std::uint64_t>(ref.sha256.data() + 8);
        if (std::memcmp(ref.sha256.data(), kMark.data(), kMark.size()) != 0 ||
            number >= loads_.size()) {
            return Error{ErrorCode::NotFound, "this blob does not come from this run"};
        }
        load = loads_[static_cast<std::size_t>(number)];
    }
    return load();
}

void GatheredContent::damaged(std::string file, std::string reason, std::uint64_t offset,
                              std::uint64_t length) {
    damage.push_back({.file = std::move(file),
                      .offset = offset,
                      .length = length,
                      .first_seq = 0,
                      .last_seq = 0,
                      .reason = std::move(reason)});
}

}  // namespace taffrail::model
