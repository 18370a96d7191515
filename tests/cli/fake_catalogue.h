// Runs made of plain vectors, so that commands are tested without files.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/run.h>

#include "cli/commands.h"
#include "cli/session.h"
#include "model/point_rows.h"
#include "model/series_cursor.h"
#include "model/series_summary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::cli {

class FakeRun final : public RecordedRun {
  public:
    RunInfo run_info;
    std::map<std::string, std::vector<Point>> series;
    std::map<std::string, std::vector<Entry>> values;
    std::map<std::string, std::shared_ptr<const MetricOptions>> definitions;
    std::vector<ConsoleLine> lines;
    Hparams machine;
    std::vector<Damage> damages;
    std::map<int, std::vector<std::byte>> blobs;  // by the last byte of the reference

    void scalar(const std::string& key, std::vector<double> numbers) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            Point point;
            point.step = static_cast<Step>(i);
            point.time_ns = run_info.start_time_ns + static_cast<std::int64_t>(i) * 1'000'000'000;
            point.value = numbers[i];
            point.seq = i;
            series[key].push_back(point);
        }
    }

    RunInfo info() const override { return run_info; }

    std::vector<KeyInfo> keys() const override {
        std::vector<KeyInfo> all;
        for (const auto& [key, points] : series) {
            KeyInfo info{key, Kind::Scalar, points.size(), {}};
            for (const Point& point : points) {
                model::add_point(info.scalar, point.value, point.step, point.time_ns);
            }
            if (const auto defined = definitions.find(key); defined != definitions.end()) {
                info.definition = defined->second;
            }
            all.push_back(info);
        }
        for (const auto& [key, entries] : values) {
            all.push_back({key, kind_of(*entries[0].value), entries.size(), {}});
        }
        std::sort(all.begin(), all.end(),
                  [](const KeyInfo& a, const KeyInfo& b) { return a.key < b.key; });
        return all;
    }

    Result<std::unique_ptr<ReadCursor>> read(std::string_view key,
                                             const ReadRequest& request) const override {
        model::SeriesRows rows;
        rows.sources.push_back(std::make_unique<model::PointRows>(series.at(std::string(key))));
        return model::make_cursor(std::move(rows), request);
    }

    Result<Bins> bins(std::string_view key, const BinRequest&) const override {
        Bins bins;
        bins.raw = true;
        bins.edges.push_back(0);
        for (const Point& point : series.at(std::string(key))) {
            bins.edges.push_back(static_cast<double>(point.step + 1));
            for (auto* column : {&bins.min, &bins.max, &bins.mean, &bins.last}) {
                column->push_back(point.value);
            }
            bins.x.push_back(static_cast<double>(point.step));
            bins.count.push_back(1);
            bins.nan_count.push_back(std::isnan(point.value));
            bins.positive_infinity_count.push_back(point.value == INFINITY);
            bins.negative_infinity_count.push_back(point.value == -INFINITY);
            ++bins.points;
        }
        return bins;
    }

    Result<std::vector<Entry>> entries(std::string_view key) const override {
        return values.at(std::string(key));
    }

    Result<std::shared_ptr<const std::vector<std::byte>>> load(const BlobRef& blob) const override {
        return std::make_shared<const std::vector<std::byte>>(
            blobs.at(static_cast<int>(blob.sha256[31])));
    }

    Result<void> for_each(const std::function<bool(const Record&)>& visit) const override {
        // Process by process, as logs are.
        std::vector<std::pair<const std::string*, const Point*>> rows;
        for (const auto& [key, points] : series) {
            for (const Point& point : points) {
                rows.emplace_back(&key, &point);
            }
        }
        std::ranges::stable_sort(rows, {}, [](const auto& row) {
            return std::pair(row.second->attempt, row.second->rank);
        });
        for (const auto& [key, point] : rows) {
            Record record;
            record.key = *key;
            record.step = point->step, record.time_ns = point->time_ns,
            record.scalar = point->value;
            record.rank = point->rank, record.attempt = point->attempt;
            if (!visit(record)) {
                return {};
            }
        }
        for (const auto& [key, entries] : values) {
            for (const Entry& entry : entries) {
                Record record;
                record.key = key;
                record.kind = kind_of(*entry.value);
                record.step = entry.step, record.time_ns = entry.time_ns,
                record.value = entry.value.get();
                if (!visit(record)) {
                    return {};
                }
            }
        }
        return {};
    }

    std::vector<ConsoleLine> console(std::size_t first, std::size_t count) const override {
        std::vector<ConsoleLine> some;
        for (std::size_t i = first; i < lines.size() && some.size() < count; ++i) {
            some.push_back(lines[i]);
        }
        return some;
    }

    Hparams environment() const override { return machine; }

    std::vector<Damage> damage() const override { return damages; }

    Result<bool> refresh() override {
        run_info.state = RunState::Finished;
        return true;
    }

    std::uint64_t revision() const override { return 0; }
};

class FakeCatalogue final : public Catalogue {
  public:
    std::vector<std::shared_ptr<FakeRun>> all;

    std::shared_ptr<FakeRun> add(const std::string& name) {
        auto run = std::make_shared<FakeRun>();
        run->run_info.id = "ID" + std::to_string(all.size());
        run->run_info.name = name;
        run->run_info.project = "digits";
        run->run_info.source = "taffrail";
        run->run_info.state = RunState::Finished;
        run->run_info.start_time_ns = 1'700'000'000'000'000'000;
        run->run_info.end_time_ns = run->run_info.start_time_ns + 125'000'000'000;
        all.push_back(run);
        return run;
    }

    std::vector<RunInfo> runs(bool) const override {
        std::vector<RunInfo> infos;
        for (const auto& run : all) {
            infos.push_back(run->run_info);
        }
        return infos;
    }

    mutable int opened = 0;

    Result<std::shared_ptr<RecordedRun>> run(std::string_view id) const override {
        ++opened;
        for (const auto& run : all) {
            if (run->run_info.id == id || run->run_info.name == id) {
                return std::shared_ptr<RecordedRun>(run);
            }
        }
        return Error{ErrorCode::NotFound, "no run '" + std::string(id) + "'"};
    }

    Result<std::vector<std::string>> refresh() override { return std::vector<std::string>{}; }
};

/// What a command line printed and ended with.
struct Outcome {
    std::string out, errors;
    int code = 0;
};

inline Outcome run_line(const std::vector<std::string>& line,
                        const std::shared_ptr<FakeCatalogue>& catalogue, Looks looks = {}) {
    Outcome outcome;
    Parsed parsed = parse(line, all_commands());
    if (!parsed.command) {
        (parsed.code == ExitCode::Ok ? outcome.out : outcome.errors) = parsed.text;
        outcome.code = static_cast<int>(parsed.code);
        return outcome;
    }
    Session session(
        looks, [&](std::string_view text) { outcome.out += text; },
        [&](std::string_view text) { outcome.errors += text; },
        [&](std::string_view) -> Result<std::shared_ptr<Catalogue>> {
            return std::shared_ptr<Catalogue>(catalogue);
        });
    session.now_ns = 1'700'000'000'000'000'000 + 3 * 3'600'000'000'000;
    outcome.code = static_cast<int>(parsed.command->run(session));
    return outcome;
}

}  // namespace taffrail::cli
