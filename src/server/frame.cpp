#include "server/frame.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/bytes.h"
#include "codec/json_writer.h"
#include "server/api/api.h"

namespace taffrail::server {
namespace {

constexpr std::size_t kF32Series = 50;
constexpr std::uint16_t kNoValue = 65535;

/// The body under construction and the directory of its arrays.
class BodyWriter {
  public:
    explicit BodyWriter(JsonWriter& directory) : directory_(directory) {}

    template <typename T>
    void field(std::string_view name, std::string_view type, const std::vector<T>& values, std::optional<double> bias = {}, std::optional<double> scale = {}) {
        pad();
        directory_.begin_object().member("name", name).member("type", type).member("offset", body_.size()).member("length", values.size());
        if (bias) {
            directory_.member("bias", *bias);
        }
        if (scale) {
            directory_.member("scale", *scale);
        }
        directory_.end_object();
        body_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }

    void pad() { body_.resize((body_.size() + 7) / 8 * 8, '\0'); }

    std::string take() {
        pad();
        return std::move(body_);
    }

  private:
    JsonWriter& directory_;
    std::string body_;
};

using Column = std::vector<double> FrameSeries::*;

std::vector<double> gather(const Frame& frame, Column column) {
    std::vector<double> all;
    for (const FrameSeries& series : frame.series) {
        const std::vector<double>& values = series.*column;
        if (values.size() == series.bins()) {
            all.insert(all.end(), values.begin(), values.end());
        } else {
            all.insert(all.end(), series.bins(), std::numeric_limits<double>::quiet_NaN());
        }
    }
    return all;
}

void write_values(BodyWriter& body, const Frame& frame, std::string_view name, Column column, bool quantised) {
    if (std::ranges::all_of(frame.series, [&](const FrameSeries& series) { return (series.*column).empty(); })) {
        return;
    }
    const std::vector<double> values = gather(frame, column);
    if (!quantised) {
        body.field(name, "f32", std::vector<float>(values.begin(), values.end()));
        return;
    }
    double low = std::numeric_limits<double>::infinity(), high = -low;
    std::vector<double> scaled(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        scaled[i] = to_scale(frame.y_scale, values[i]);
        if (std::isfinite(scaled[i])) {
            low = std::min(low, scaled[i]);
            high = std::max(high, scaled[i]);
        }
    }
    const double scale = high > low ? (high - low) / 65534.0 : 1.0, bias = low <= high ? low : 0.0;
    std::vector<std::uint16_t> quantums(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        quantums[i] = std::isfinite(scaled[i]) ? static_cast<std::uint16_t>(std::lround((scaled[i] - bias) / scale)) : kNoValue;
    }
    body.field(name, "q16", quantums, bias, scale);
}

void write_x(BodyWriter& body, const Frame& frame, bool quantised) {
    std::vector<double> x;
    for (const FrameSeries& series : frame.series) {
        x.insert(x.end(), series.x.begin(), series.x.end());
        x.resize(x.size() + (series.bins() + 1 - std::min(series.bins() + 1, series.x.size())), series.x.empty() ? 0 : series.x.back());
    }
    if (!quantised) {
        body.field("x", "f64", x);
        return;
    }
    const double bias = x.empty() ? 0 : x.front();
    std::vector<float> offsets(x.size());
    std::ranges::transform(x, offsets.begin(), [&](double value) { return static_cast<float>(value - bias); });
    body.field("x", "f32", offsets, bias);
}

void write_counts(BodyWriter& body, const Frame& frame) {
    std::vector<std::uint32_t> count, runs, mark_bin, mark_count;
    std::vector<std::uint8_t> mark_kind;
    std::uint32_t bin = 0;
    for (const FrameSeries& series : frame.series) {
        count.insert(count.end(), series.count.begin(), series.count.end());
        if (frame.grouped) {
            runs.insert(runs.end(), series.runs.begin(), series.runs.end());
        }
        const std::vector<std::uint32_t>* kinds[] = {&series.nan, &series.positive_infinity, &series.negative_infinity};
        for (std::size_t i = 0; i < series.bins(); ++i, ++bin) {
            for (std::uint8_t kind = 0; kind < 3; ++kind) {
                if (i < kinds[kind]->size() && (*kinds[kind])[i] > 0) {
                    mark_bin.push_back(bin);
                    mark_kind.push_back(kind);
                    mark_count.push_back((*kinds[kind])[i]);
                }
            }
        }
    }
    if (frame.with_counts) {
        body.field("count", "u32", count);
    }
    if (frame.grouped) {
        body.field("runs", "u32", runs);
    }
    if (!mark_bin.empty()) {
        body.field("mark_bin", "u32", mark_bin);
        body.field("mark_kind", "u8", mark_kind);
        body.field("mark_count", "u32", mark_count);
    }
}

template <typename Project>
void write_list(JsonWriter& json, std::string_view name, const std::vector<FrameSeries>& series, Project project) {
    json.key(name).begin_array();
    for (const FrameSeries& one : series) {
        json.value(project(one));
    }
    json.end_array();
}

void write_directory(JsonWriter& json, const Frame& frame) {
    json.key("series").begin_object();
    write_list(json, "run", frame.series, [](const auto& s) { return s.run; });
    write_list(json, "key", frame.series, [](const auto& s) { return s.key; });
    if (frame.grouped) {
        write_list(json, "group", frame.series, [](const auto& s) { return s.group; });
    }
    write_list(json, "attempt", frame.series, [](const auto& s) { return s.attempt; });
    write_list(json, "current", frame.series, [](const auto& s) { return s.current; });
    write_list(json, "raw", frame.series, [](const auto& s) { return s.raw; });
    write_list(json, "bins", frame.series, [](const auto& s) { return s.bins(); });
    write_list(json, "points", frame.series, [](const auto& s) { return s.points; });
    json.key("last_x").begin_array();
    for (const FrameSeries& series : frame.series) {
        series.last_x && std::isfinite(*series.last_x) ? json.value(*series.last_x) : json.null();
    }
    json.end_array();
    write_list(json, "last", frame.series, [](const auto& s) { return s.last_value; });
    write_list(json, "total", frame.series, [](const auto& s) { return s.total; });
    json.end_object();
}

void write_names(JsonWriter& json, std::string_view name, const std::vector<std::string>& names) {
    json.key(name).begin_array();
    for (const std::string& item : names) {
        json.value(item);
    }
    json.end_array();
}

}  // namespace

std::string_view to_string(AxisScale scale) noexcept {
    return scale == AxisScale::Log ? "log" : scale == AxisScale::Symlog ? "symlog" : "linear";
}

double to_scale(AxisScale scale, double value) noexcept {
    switch (scale) {
        case AxisScale::Linear: return value;
        case AxisScale::Log: return value > 0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
        case AxisScale::Symlog: return std::copysign(std::log10(1 + std::abs(value)), value);
    }
    return value;
}

double from_scale(AxisScale scale, double value) noexcept {
    switch (scale) {
        case AxisScale::Linear: return value;
        case AxisScale::Log: return std::pow(10, value);
        case AxisScale::Symlog: return std::copysign(std::pow(10, std::abs(value)) - 1, value);
    }
    return value;
}

std::string encode_frame(const Frame& frame) {
    const bool quantised = frame.precision == Precision::Q16 || (frame.precision == Precision::Auto && frame.series.size() > kF32Series);
    JsonWriter fields;
    fields.begin_array();
    BodyWriter body(fields);
    if (frame.error_json.empty()) {
        write_x(body, frame, quantised);
        write_values(body, frame, "min", &FrameSeries::min, quantised);
        write_values(body, frame, "max", &FrameSeries::max, quantised);
        write_values(body, frame, "mean", &FrameSeries::mean, quantised);
        write_values(body, frame, "last", &FrameSeries::last, quantised);
        write_values(body, frame, "smooth", &FrameSeries::smooth, quantised);
        write_values(body, frame, "low", &FrameSeries::low, quantised);
        write_values(body, frame, "high", &FrameSeries::high, quantised);
        write_counts(body, frame);
    }
    fields.end_array();

    JsonWriter json;
    json.begin_object().member("chart", frame.chart).member("revision", frame.revision);
    if (!frame.error_json.empty()) {
        json.key("error").raw(frame.error_json);
    }
    json.key("x").raw(frame.x_json.empty() ? "{\"axis\":\"step\"}" : frame.x_json).member("y_scale", to_string(frame.y_scale));
    write_names(json, "runs", frame.runs);
    write_names(json, "keys", frame.keys);
    if (frame.grouped) {
        json.key("groups").begin_array();
        for (const FrameGroup& group : frame.groups) {
            json.begin_object().member("label", group.label).key("values").begin_array();
            for (const Cell& cell : group.values) {
                write_cell(json, cell);
            }
            json.end_array();
            write_names(json, "runs", group.runs);
            json.end_object();
        }
        json.end_array();
    }
    write_directory(json, frame);
    json.key("fields").raw(fields.text());
    json.member("missing", frame.missing).member("outside", frame.outside).member("query_ms", frame.query_ms).end_object();

    std::string header = std::move(json).take();
    header.resize((header.size() + 7) / 8 * 8, ' ');
    const std::string bytes = body.take();
    std::string out("TFS1");
    const auto header_size = static_cast<std::uint32_t>(header.size());
    const auto body_size = static_cast<std::uint64_t>(bytes.size());
    out.append(reinterpret_cast<const char*>(&header_size), 4).append(reinterpret_cast<const char*>(&body_size), 8);
    return out.append(header).append(bytes);
}

}  // namespace taffrail::server
