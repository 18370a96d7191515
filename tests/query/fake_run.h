// A run of plain vectors that counts how often it is read.
#pragma once

#include <taffrail/reader.h>

#include "model/axes.h"
#include "model/bins.h"
#include "model/point_rows.h"
#include "model/series_cursor.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::query {

class FakeRun final : public RecordedRun {
  public:
    std::map<std::string, std::vector<Point>, std::less<>> series;
    std::map<std::string, std::vector<Entry>, std::less<>> values;
    RunInfo described;
    std::uint64_t changes = 1;
    mutable int reads = 0;

    [[nodiscard]] RunInfo info() const override { return described; }

    [[nodiscard]] std::vector<KeyInfo> keys() const override { return {}; }

    [[nodiscard]] Result<std::unique_ptr<ReadCursor>> read(
        std::string_view key, const ReadRequest& request) const override {
        ++reads;
        model::SeriesRows rows;
        rows.sources.push_back(std::make_unique<model::PointRows>(series.find(key)->second));
        return model::make_cursor(std::move(rows), request);
    }

    [[nodiscard]] Result<Bins> bins(std::string_view key,
                                    const BinRequest& request) const override {
        std::vector<double> x, value;
        for (const Point& point : series.find(key)->second) {
            const double place = model::position_of(point, request.axis, 0);
            if (model::has_place(place, request.scale)) {
                x.push_back(place);
                value.push_back(point.value);
            }
        }
        return model::bins_of_points(x, value, request);
    }

    [[nodiscard]] Result<std::vector<Entry>> entries(std::string_view key) const override {
        ++reads;
        const auto found = values.find(key);
        if (found == values.end()) {
            return Error{ErrorCode::NotFound, "no such key"};
        }
        return found->second;
    }

    [[nodiscard]] Result<std::shared_ptr<const std::vector<std::byte>>> load(
        const BlobRef&) const override {
        return Error{ErrorCode::NotFound, "no blobs"};
    }

    Result<void> for_each(const std::function<bool(const Record&)>&) const override { return {}; }

    [[nodiscard]] std::vector<ConsoleLine> console(std::size_t, std::size_t) const override {
        return {};
    }

    [[nodiscard]] Hparams environment() const override { return {}; }

    [[nodiscard]] std::vector<Damage> damage() const override { return {}; }

    Result<bool> refresh() override { return false; }

    [[nodiscard]] std::uint64_t revision() const override { return changes; }
};

}  // namespace taffrail::query
