// Rows of one set of keys, kept until it is clear into which file they go.
#pragma once

#include "seal/section_builder.h"
#include "seal/table_writer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace taffrail::seal {

struct RowBuffer {
    std::vector<std::uint64_t> seq;
    std::vector<std::int64_t> step, time_ns, samples;
    std::vector<double> epoch;
    std::vector<std::uint8_t> phase;
    std::vector<std::vector<double>> columns;

    /// Who logged the rows: `from` counts rows.
    struct Span {
        std::size_t from;
        RowWriter writer;
    };

    std::vector<Span> writers;

    [[nodiscard]] std::size_t rows() const noexcept { return step.size(); }

    /// Axes of the rows [first, last).
    [[nodiscard]] RowAxes axes(std::size_t first, std::size_t last) const {
        return RowAxes{seq, step, time_ns, epoch, samples, phase}.subspan(first, last - first);
    }

    void note_writer(const RowWriter& writer) {
        if (writers.empty() || writers.back().writer != writer) {
            writers.push_back({rows(), writer});
        }
    }

    /// Calls visit(writer, first, last) for each stretch of rows of one writer.
    template <typename Visit>
    Result<void> for_each_writer(Visit visit) const {
        for (std::size_t i = 0; i < writers.size(); ++i) {
            const std::size_t last = i + 1 < writers.size() ? writers[i + 1].from : rows();
            if (auto done = visit(writers[i].writer, writers[i].from, last); !done.ok()) {
                return done;
            }
        }
        return {};
    }

    /// The memory stays: as many rows follow.
    void clear() {
        seq.clear();
        epoch.clear();
        phase.clear();
        writers.clear();
        for (auto* axis : {&step, &time_ns, &samples}) {
            axis->clear();
        }
        for (auto& column : columns) {
            column.clear();
        }
    }
};

}  // namespace taffrail::seal
