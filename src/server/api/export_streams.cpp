#include "server/api/export_streams.h"

#include "base/strings.h"
#include "query/columns.h"
#include "query/wide_table.h"
#include "server/api/export_parquet.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace taffrail::server {
namespace {

// A piece of text is some hundred kilobytes: small beside what a connection may hold unsent, and
// soon made, so that other requests are not kept waiting for it.
constexpr std::size_t kLines = 4096;

std::string csv_number(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    return std::isinf(value) ? (value > 0 ? "inf" : "-inf") : format_double(value);
}

// A cell that a spreadsheet would take for a formula is made text; quotes are doubled.
std::string csv_text(std::string_view text) {
    std::string cell(text);
    if (!cell.empty() &&
        std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos &&
        !parse_double(cell)) {
        cell.insert(cell.begin(), '\'');
    }
    if (cell.find_first_of(",\"\n\r") == std::string::npos) {
        return cell;
    }
    std::string quoted = "\"";
    for (char c : cell) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return quoted + '"';
}

std::string csv_time(std::int64_t time_ns) {
    std::string text = format_time_utc(time_ns);
    text.pop_back();  // Z
    const std::string micro =
        std::to_string(((time_ns % 1'000'000) + 1'000'000) % 1'000'000 / 1000);
    return text + std::string(3 - micro.size(), '0') + micro + 'Z';
}

std::string csv_cell(const Cell& cell) {
    if (const auto* number = std::get_if<double>(&cell)) {
        return csv_number(*number);
    }
    return cell.index() == 0 ? std::string() : csv_text(query::cell_label(cell));
}

std::vector<std::string> keys_of(const RunDetails& run, const ExportJob& job) {
    if (!job.keys.empty()) {
        return job.keys;
    }
    std::vector<std::string> keys;
    for (const KeyInfo& key : run.keys) {
        if (key.kind == Kind::Scalar) {
            keys.push_back(key.key);
        }
    }
    return keys;
}

// All points of a key in log order, cut to the asked range.
std::vector<Point> points_of(const ApiContext& context, const RunDetails& details,
                             const std::string& key, const ExportJob& job) {
    const auto run = find_run(context, details.id);
    auto points = run->points(key);
    if (!points && points.error().code == ErrorCode::NotFound) {
        return {};  // not every run has every key
    }
    if (!points) {
        refuse(points.error());
    }
    if (!job.all_attempts) {
        points = query::winning_points(*run, *std::move(points));
    }
    if (!job.has_x || (!job.x.from && !job.x.to)) {
        return *std::move(points);
    }
    const query::SeriesPoints positions =
        query::on_axis(*points, job.x, details.info.start_time_ns, {});
    std::vector<bool> keep(points->size(), false);
    for (std::size_t i = 0; i < positions.x.size(); ++i) {
        keep[positions.source[i]] = (!job.x.from || positions.x[i] >= *job.x.from) &&
                                    (!job.x.to || positions.x[i] <= *job.x.to);
    }
    std::vector<Point> kept;
    for (std::size_t i = 0; i < keep.size(); ++i) {
        if (keep[i]) {
            kept.push_back((*points)[i]);
        }
    }
    return kept;
}

/// Breaks the download off when the run turned out to be damaged while it was read and nobody was
/// told: prepared again, the ticket says so.
void expect_whole(const ApiContext& context, const ExportJob& job, const std::string& run) {
    if (std::ranges::find(job.damaged, run) == job.damaged.end() &&
        !find_run(context, run)->damage().empty()) {
        refuse(404, "unavailable", "run '" + run + "' is damaged");
    }
}

/// The series of a job one after the other, some points at a time.
class SeriesWalk {
  public:
    SeriesWalk(const ApiContext& context, const ExportJob& job, std::size_t slice)
        : context_(context), job_(job), slice_(slice) {}

    struct Slice {
        const RunDetails& run;
        const std::string& key;
        std::span<const Point> points;
    };

    /// The next points, none of them twice; nothing at the end.
    std::optional<Slice> next() {
        while (at_ == points_.size()) {
            if (key_ == keys_.size()) {
                if (details_ != nullptr) {
                    expect_whole(context_, job_, details_->id);
                }
                if (run_ == job_.runs.size()) {
                    details_ = nullptr;
                    return std::nullopt;
                }
                details_ = find_details(context_, job_.runs[run_++]);
                keys_ = keys_of(*details_, job_);
                key_ = 0;
            } else {
                points_ = points_of(context_, *details_, keys_[key_++], job_);
                at_ = 0;
            }
        }
        const std::size_t count = std::min(slice_, points_.size() - at_);
        at_ += count;
        return Slice{*details_, keys_[key_ - 1],
                     std::span<const Point>(points_).subspan(at_ - count, count)};
    }

  private:
    const ApiContext& context_;
    const ExportJob& job_;
    const std::size_t slice_;
    std::size_t run_ = 0, key_ = 0, at_ = 0;
    std::shared_ptr<const RunDetails> details_;
    std::vector<std::string> keys_;
    std::vector<Point> points_;
};

/// A body in the making. step() makes the next piece and tells whether there is more.
class Download {
  public:
    virtual ~Download() = default;
    virtual bool step(ResponseStream& stream) = 0;
};

class TidyCsv final : public Download {
  public:
    TidyCsv(const ApiContext& context, const ExportJob& job) : walk_(context, job, kLines) {}

    bool step(ResponseStream& stream) override {
        std::string text = std::exchange(begun_, true)
                               ? ""
                               : "run_id,run,key,step,time,epoch,samples,attempt,rank,value\n";
        const auto slice = walk_.next();
        if (slice) {
            const std::string prefix = csv_text(slice->run.id) + ',' +
                                       csv_text(slice->run.info.name) + ',' + csv_text(slice->key) +
                                       ',';
            for (const Point& point : slice->points) {
                const std::string epoch = std::isnan(point.epoch) ? "" : csv_number(point.epoch);
                const std::string samples =
                    point.samples == INT64_MIN ? "" : std::to_string(point.samples);
                text += prefix + std::to_string(point.step) + ',' + csv_time(point.time_ns) + ',' +
                        epoch + ',' + samples + ',' + std::to_string(point.attempt) + ',' +
                        std::to_string(point.rank) + ',' + csv_number(point.value) + '\n';
            }
        }
        return stream.write(text) && slice;
    }

  private:
    SeriesWalk walk_;
    bool begun_ = false;
};

class JsonLines final : public Download {
  public:
    JsonLines(const ApiContext& context, const ExportJob& job) : walk_(context, job, kLines) {}

    bool step(ResponseStream& stream) override {
        const auto slice = walk_.next();
        if (!slice) {
            return false;
        }
        std::string text;
        for (const Point& point : slice->points) {
            JsonWriter json;
            json.begin_object()
                .member("run", slice->run.id)
                .member("key", slice->key)
                .member("kind", "scalar")
                .member("step", point.step)
                .member("time", point.time_ns)
                .key("epoch");
            std::isnan(point.epoch) ? json.null() : json.value(point.epoch);
            json.key("samples");
            point.samples == INT64_MIN ? json.null() : json.value(point.samples);
            json.key("phase");
            point.phase == Phase::None ? json.null() : json.value(to_string(point.phase));
            json.member("rank", point.rank)
                .member("writer", std::to_string(point.writer))
                .member("attempt", point.attempt)
                .member("value", point.value)
                .end_object();
            text.append(json.text()).push_back('\n');
        }
        return stream.write(text);
    }

  private:
    SeriesWalk walk_;
};

class ParquetFile final : public Download {
  public:
    ParquetFile(const ApiContext& context, const ExportJob& job)
        : walk_(context, job, ParquetExport::kGroupRows),
          file_([this](std::string_view bytes) { return stream_->write(bytes); }) {}

    bool step(ResponseStream& stream) override {
        stream_ = &stream;
        if (const auto slice = walk_.next()) {
            return file_.add(slice->run.id, slice->run.info.name, slice->key, slice->points).ok();
        }
        (void)file_.finish();  // fails where nobody reads any more
        return false;
    }

  private:
    SeriesWalk walk_;
    ResponseStream* stream_ = nullptr;
    ParquetExport file_;
};

class WideCsv final : public Download {
  public:
    WideCsv(const ApiContext& context, const ExportJob& job) : context_(context), job_(job) {}

    bool step(ResponseStream& stream) override {
        std::string text = std::exchange(begun_, true) ? "" : header();
        if (row_ == table_.rows().end()) {
            if (run_ == job_.runs.size()) {
                (void)stream.write(text);
                return false;
            }
            begin_run(job_.runs[run_++]);
        }
        for (std::size_t i = 0; i < kLines && row_ != table_.rows().end(); ++i, ++row_) {
            append_row(text);
        }
        return stream.write(text);
    }

  private:
    std::string header() {
        std::set<std::string, std::less<>> seen;
        for (const std::string& id : job_.runs) {
            for (std::string& key : keys_of(*find_details(context_, id), job_)) {
                if (seen.insert(key).second) {
                    columns_.push_back(std::move(key));
                }
            }
        }
        std::string line = "run_id,run,step,rank,attempt";
        for (const std::string& column : columns_) {
            line += ',' + csv_text(column);
        }
        return line + '\n';
    }

    void begin_run(const std::string& id) {
        const auto details = find_details(context_, id);
        head_ = csv_text(id) + ',' + csv_text(details->info.name) + ',';
        table_ = {};
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            table_.add(c, points_of(context_, *details, columns_[c], job_));
        }
        expect_whole(context_, job_, id);
        row_ = table_.rows().begin();
    }

    void append_row(std::string& text) const {
        const auto& [place, cells] = *row_;
        text += head_ + std::to_string(place.step) + ',' + std::to_string(place.rank) + ',' +
                std::to_string(place.attempt);
        auto cell = cells.begin();
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            text += ',';
            if (cell != cells.end() && cell->first == c) {
                text += csv_number(cell++->second);
            }
        }
        text += '\n';
    }

    const ApiContext& context_;
    const ExportJob& job_;
    std::vector<std::string> columns_;
    std::size_t run_ = 0;
    bool begun_ = false;
    std::string head_;
    query::WideTable table_;
    query::WideTable::Rows::const_iterator row_ = table_.rows().end();
};

class RunTable final : public Download {
  public:
    RunTable(const ApiContext& context, const ExportJob& job) : context_(context), job_(job) {}

    bool step(ResponseStream& stream) override {
        std::string text = std::exchange(begun_, true) ? "" : header();
        for (std::size_t i = 0; i < kLines && run_ < job_.runs.size(); ++i, ++run_) {
            const auto details = find_details(context_, job_.runs[run_]);
            text += csv_text(details->id) + ',' + csv_text(details->info.name) + ',' +
                    csv_text(details->info.project) + ',' +
                    std::string(to_string(details->info.state));
            for (const std::string& column : job_.columns) {
                text += ',' + csv_cell(query::column_value(*details, column));
            }
            text += '\n';
        }
        return stream.write(text) && run_ < job_.runs.size();
    }

  private:
    [[nodiscard]] std::string header() const {
        std::string line = "run_id,run,project,state";
        for (const std::string& column : job_.columns) {
            line += ',' + csv_text(column);
        }
        return line + '\n';
    }

    const ApiContext& context_;
    const ExportJob& job_;
    std::size_t run_ = 0;
    bool begun_ = false;
};

std::shared_ptr<Download> make_download(const ApiContext& context, const ExportJob& job) {
    if (job.what == "runs") {
        return std::make_shared<RunTable>(context, job);
    }
    if (job.format == "jsonl") {
        return std::make_shared<JsonLines>(context, job);
    }
    if (job.format == "parquet") {
        return std::make_shared<ParquetFile>(context, job);
    }
    if (job.shape == "wide") {
        return std::make_shared<WideCsv>(context, job);
    }
    return std::make_shared<TidyCsv>(context, job);
}

}  // namespace

std::function<bool(ResponseStream&)> export_stream(const ApiContext& context,
                                                   std::shared_ptr<const ExportJob> job) {
    auto download = make_download(context, *job);
    return [job = std::move(job), download = std::move(download)](ResponseStream& stream) {
        return download->step(stream);
    };
}

}  // namespace taffrail::server
