#include "record/batch_builder.h"

#include <algorithm>

namespace taffrail::record {
namespace {

// About 2 MiB of cells a schema and batch: large enough for the codecs, small enough for the memory
// budget.
constexpr std::size_t kMostSchemaCells = 256 << 10;
constexpr std::size_t kMostRows = 4096;

}  // namespace

void BatchBuilder::AxisColumns::resize(std::size_t rows) {
    seq.resize(rows);
    step.resize(rows);
    time_ns.resize(rows);
    samples.resize(rows);
    epoch.resize(rows);
    phase.resize(rows);
    route.resize(rows);
}

void BatchBuilder::AxisColumns::set(std::size_t row, const RowAxes& axes,
                                    const Context& context) noexcept {
    seq[row] = axes.seq;
    step[row] = axes.step;
    time_ns[row] = axes.time_ns;
    samples[row] = context.samples;
    epoch[row] = context.epoch;
    phase[row] = static_cast<std::uint8_t>(context.phase);
    route[row] = axes.route;
}

tlog::Axes BatchBuilder::AxisColumns::view(std::size_t rows) const noexcept {
    return {.seq = std::span(seq).first(rows),
            .step = std::span(step).first(rows),
            .time_ns = std::span(time_ns).first(rows),
            .epoch = std::span(epoch).first(rows),
            .samples = std::span(samples).first(rows),
            .phase = std::span(phase).first(rows),
            .route = std::span(route).first(rows)};
}

void BatchBuilder::Wide::grow() {
    const std::size_t old_stride = stride();
    const std::size_t old_rows = rows;
    capacity = std::min(most, std::max<std::size_t>(capacity * 2, 64));
    axes.resize(capacity);
    std::vector<double> bigger(stride() * width);
    for (std::size_t column = 0; column < width && old_rows > 0; ++column) {
        std::copy_n(cells.data() + column * old_stride, old_rows,
                    bigger.data() + column * stride());
    }
    cells = std::move(bigger);
}

BatchBuilder::BatchBuilder() = default;

void BatchBuilder::clear(std::uint64_t next_seq) {
    for (Wide* wide : used_) {
        wide->rows = 0;
        wide->used = false;
    }
    used_.clear();
    long_rows_ = 0;
    batch_.keys.clear();
    batch_.schemas.clear();
    batch_.wide.clear();
    batch_.long_rows.clear();
    batch_.values.clear();
    batch_.meta.clear();
    batch_.console.clear();
    batch_.ring_positions.clear();
    batch_.gaps.clear();
    batch_.spool_pending.clear();
    batch_.spool_done.clear();
    batch_.rows = 0;
    batch_.first_seq = first_seq_ = next_seq;
    values_ = 0;
    cells_ = 0;
}

BatchBuilder::Wide& BatchBuilder::wide(std::uint32_t schema, std::size_t width) {
    if (wide_.size() <= schema) {
        wide_.resize(schema + 1);
    }
    auto& entry = wide_[schema];
    if (!entry) {
        entry = std::make_unique<Wide>();
        entry->schema = schema;
        entry->width = width;
        entry->most = std::clamp<std::size_t>(kMostSchemaCells / width, 64, kMostRows);
    }
    if (!entry->used) {
        entry->used = true;
        used_.push_back(entry.get());
    }
    return *entry;
}

void BatchBuilder::add_long(std::uint32_t key, const RowAxes& axes, const Context& context,
                            std::uint64_t value) {
    if (long_rows_ == long_keys_.size()) {
        const std::size_t capacity = std::max<std::size_t>(long_rows_ * 2, 256);
        long_axes_.resize(capacity);
        long_keys_.resize(capacity);
        long_values_.resize(capacity);
    }
    long_axes_.set(long_rows_, axes, context);
    long_keys_[long_rows_] = key;
    long_values_[long_rows_] = std::bit_cast<double>(value);
    ++long_rows_;
}

const tlog::Batch& BatchBuilder::finish(std::uint64_t next_seq) {
    batch_.wide.clear();
    for (const Wide* wide : used_) {
        if (wide->rows == 0) {
            continue;
        }
        tlog::WideRows& rows = batch_.wide.emplace_back();
        rows.schema = wide->schema;
        rows.axes = wide->axes.view(wide->rows);
        for (std::size_t column = 0; column < wide->width; ++column) {
            rows.columns.emplace_back(wide->cells.data() + column * wide->stride(), wide->rows);
        }
    }
    batch_.long_rows.clear();
    if (long_rows_ > 0) {
        batch_.long_rows.push_back({std::span(long_keys_).first(long_rows_),
                                    long_axes_.view(long_rows_),
                                    std::span(long_values_).first(long_rows_)});
    }
    batch_.first_seq = first_seq_;
    batch_.rows = static_cast<std::uint32_t>(next_seq - first_seq_);
    return batch_;
}

bool BatchBuilder::empty() const noexcept {
    return used_.empty() && long_rows_ == 0 && batch_.values.empty() && batch_.meta.empty() &&
           batch_.console.empty() && batch_.gaps.empty() && batch_.spool_pending.empty() &&
           batch_.ring_positions.empty();
}

}  // namespace taffrail::record
