#include "server/frame.h"

#include "base/bytes.h"
#include "codec/json_writer.h"
#include "server/api/api.h"
#include "server/chart_request.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <unordered_map>

namespace taffrail::server {
namespace {

using query::ChartSeries;

constexpr std::size_t kF32Series = 50;
constexpr std::uint16_t kNoValue = 65535;

/// The body under construction and the directory of its arrays.
class BodyWriter {
  public:
    explicit BodyWriter(JsonWriter& directory) : directory_(directory) {}

    /// Room for `length` values of a new array, to be filled at once.
    template <typename T>
    std::span<T> field(std::string_view name, std::string_view type, std::size_t length,
                       std::optional<double> bias = {}, std::optional<double> scale = {}) {
        pad();
        const std::size_t offset = body_.size();
        directory_.begin_object()
            .member("name", name)
            .member("type", type)
            .member("offset", offset)
            .member("length", length);
        if (bias) {
            directory_.member("bias", *bias);
        }
        if (scale) {
            directory_.member("scale", *scale);
        }
        directory_.end_object();
        body_.resize(offset + length * sizeof(T));
        return {reinterpret_cast<T*>(body_.data() + offset), length};
    }

    template <typename T>
    void field(std::string_view name, std::string_view type, const std::vector<T>& values) {
        std::ranges::copy(values, field<T>(name, type, values.size()).begin());
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

using Column = std::vector<double> ChartSeries::*;

std::size_t all_bins(const Frame& frame) {
    return std::accumulate(
        frame.series.begin(), frame.series.end(), std::size_t{0},
        [](std::size_t sum, const ChartSeries& series) { return sum + series.bins(); });
}

/// The column of every series, one after the other; NaN for a series that lacks it.
template <typename T, typename Convert>
void fill(std::span<T> out, const Frame& frame, Column column, Convert convert) {
    T* to = out.data();
    for (const ChartSeries& series : frame.series) {
        const std::vector<double>& values = series.*column;
        to =
            values.size() == series.bins()
                ? std::transform(values.begin(), values.end(), to, convert)
                : std::fill_n(to, series.bins(), convert(std::numeric_limits<double>::quiet_NaN()));
    }
}

/// False, and nothing written, where the values lie so far apart that bias + scale · q is more than
/// a double holds.
template <typename ToScale>
bool write_quantised(BodyWriter& body, const Frame& frame, std::string_view name, Column column,
                     ToScale to_axis) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const ChartSeries& series : frame.series) {
        for (const double value : series.*column) {
            const double at = to_axis(value);
            if (std::isfinite(at)) {
                low = std::min(low, at);
                high = std::max(high, at);
            }
        }
    }
    const double share = (high - low) / 65534.0;
    if (high > low && !std::isfinite(share)) {
        return false;
    }
    const double scale = high > low && share > 0 ? share : 1.0, bias = low <= high ? low : 0.0;
    fill(body.field<std::uint16_t>(name, "q16", all_bins(frame), bias, scale), frame, column,
         [&](double value) {
             const double at = to_axis(value);
             return std::isfinite(at) ? static_cast<std::uint16_t>((at - bias) / scale + 0.5)
                                      : kNoValue;
         });
    return true;
}

/// The finite values of some columns: how far they reach.
struct Span {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(double value) {
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }

    /// Whether single precision holds them and tells them apart over the height of a chart.
    [[nodiscard]] bool fits_single() const {
        constexpr double kLargest = std::numeric_limits<float>::max(), kSmallest = 1e-30;
        constexpr double kPixels = 2048;
        const double reach = std::max(std::abs(low), std::abs(high));
        return low > high || reach == 0 ||
               (reach <= kLargest && reach >= kSmallest &&
                (low == high || (high - low) * kPixels >= reach));
    }
};

// Every series by itself, since a person may zoom to one, and all together, since constant ones
// may lie close to each other.
bool single_is_enough(const Frame& frame, Column column) {
    Span all;
    for (const ChartSeries& series : frame.series) {
        Span own;
        for (const double value : series.*column) {
            own.add(value);
        }
        if (!own.fits_single()) {
            return false;
        }
        all.add(own.low);
        all.add(own.high);
    }
    return all.fits_single();
}

void write_values(BodyWriter& body, const Frame& frame, std::string_view name, Column column,
                  bool quantised) {
    if (std::ranges::all_of(frame.series,
                            [&](const ChartSeries& series) { return (series.*column).empty(); })) {
        return;
    }
    if (quantised &&
        (frame.y_scale == query::AxisScale::Linear
             ? write_quantised(body, frame, name, column, [](double value) { return value; })
             : write_quantised(body, frame, name, column,
                               [&](double value) { return to_scale(frame.y_scale, value); }))) {
        return;
    }
    if (single_is_enough(frame, column)) {
        fill(body.field<float>(name, "f32", all_bins(frame)), frame, column,
             [](double value) { return static_cast<float>(value); });
    } else {
        fill(body.field<double>(name, "f64", all_bins(frame)), frame, column,
             [](double value) { return value; });
    }
}

/// Where the x of each series stands in the array of all of them.
struct SharedX {
    std::vector<std::size_t> first;  ///< by series
    std::vector<std::size_t> owner;  ///< series whose x is in the array, in its order
    std::size_t size = 0;
};

SharedX place_x(const Frame& frame) {
    SharedX place;
    // Runs of one sweep log at the same steps. Hashing the ends tells most others apart; equality
    // decides.
    std::unordered_multimap<std::uint64_t, std::size_t> known;
    for (std::size_t i = 0; i < frame.series.size(); ++i) {
        const ChartSeries& series = frame.series[i];
        std::optional<std::size_t> same;
        if (frame.share_x && !series.x.empty()) {
            const std::uint64_t ends = std::bit_cast<std::uint64_t>(series.x.front()) * 31 +
                                       std::bit_cast<std::uint64_t>(series.x.back()) * 17 +
                                       series.x.size();
            const auto [begin, end] = known.equal_range(ends);
            const auto found = std::find_if(begin, end, [&](const auto& entry) {
                return frame.series[entry.second].x == series.x &&
                       frame.series[entry.second].bins() == series.bins();
            });
            if (found != end) {
                same = found->second;
            } else {
                known.emplace(ends, i);
            }
        }
        place.first.push_back(same ? place.first[*same] : place.size);
        if (!same) {
            place.owner.push_back(i);
            place.size += series.bins() + 1;
        }
    }
    return place;
}

void write_x(BodyWriter& body, const Frame& frame, const SharedX& place, bool quantised) {
    const auto each = [&](auto out, auto convert) {
        for (const std::size_t owner : place.owner) {
            const ChartSeries& series = frame.series[owner];
            const std::size_t given = std::min(series.bins() + 1, series.x.size());
            out =
                std::transform(series.x.begin(),
                               series.x.begin() + static_cast<std::ptrdiff_t>(given), out, convert);
            out = std::fill_n(out, series.bins() + 1 - given,
                              convert(series.x.empty() ? 0 : series.x.back()));
        }
    };
    if (!quantised) {
        each(body.field<double>("x", "f64", place.size).begin(),
             [](double value) { return value; });
        return;
    }
    const double bias =
        frame.series.empty() || frame.series.front().x.empty() ? 0 : frame.series.front().x.front();
    each(body.field<float>("x", "f32", place.size, bias).begin(),
         [&](double value) { return static_cast<float>(value - bias); });
}

void write_counts(BodyWriter& body, const Frame& frame) {
    std::vector<std::uint32_t> count, runs, mark_bin, mark_count;
    std::vector<std::uint8_t> mark_kind;
    std::uint32_t bin = 0;
    for (const ChartSeries& series : frame.series) {
        if (frame.with_counts) {
            count.insert(count.end(), series.count.begin(), series.count.end());
        }
        if (frame.grouped) {
            runs.insert(runs.end(), series.runs.begin(), series.runs.end());
        }
        const std::vector<std::uint32_t>* kinds[] = {&series.nan, &series.positive_infinity,
                                                     &series.negative_infinity};
        const bool marked =
            std::ranges::any_of(kinds, [](const auto* counts) { return !counts->empty(); });
        for (std::uint32_t i = 0; marked && i < series.bins(); ++i) {
            for (std::uint8_t kind = 0; kind < 3; ++kind) {
                if (i < kinds[kind]->size() && (*kinds[kind])[i] > 0) {
                    mark_bin.push_back(bin + i);
                    mark_kind.push_back(kind);
                    mark_count.push_back((*kinds[kind])[i]);
                }
            }
        }
        bin += static_cast<std::uint32_t>(series.bins());
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
void write_list(JsonWriter& json, std::string_view name, const std::vector<ChartSeries>& series,
                Project project) {
    json.key(name).begin_array();
    for (const ChartSeries& one : series) {
        json.value(project(one));
    }
    json.end_array();
}

void write_directory(JsonWriter& json, const Frame& frame, const SharedX& place) {
    json.key("series").begin_object();
    write_list(json, "run", frame.series, [](const auto& s) { return s.run; });
    write_list(json, "key", frame.series, [](const auto& s) { return s.key; });
    if (frame.grouped) {
        write_list(json, "group", frame.series, [](const auto& s) { return s.group; });
    }
    if (std::ranges::any_of(frame.series,
                            [](const auto& s) { return s.rank >= 0 || s.ranks > 1; })) {
        write_list(json, "rank", frame.series, [](const auto& s) { return s.rank; });
        write_list(json, "ranks", frame.series, [](const auto& s) { return s.ranks; });
    }
    write_list(json, "attempt", frame.series, [](const auto& s) { return s.attempt; });
    write_list(json, "current", frame.series, [](const auto& s) { return s.current; });
    write_list(json, "raw", frame.series, [](const auto& s) { return s.raw; });
    write_list(json, "bins", frame.series, [](const auto& s) { return s.bins(); });
    if (frame.share_x) {
        json.key("x").begin_array();
        for (const std::size_t first : place.first) {
            json.value(first);
        }
        json.end_array();
    }
    write_list(json, "points", frame.series, [](const auto& s) { return s.points; });
    json.key("last_x").begin_array();
    for (const ChartSeries& series : frame.series) {
        series.last_x&& std::isfinite(*series.last_x) ? json.value(*series.last_x) : json.null();
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

std::string encode_frame(const Frame& frame) {
    const bool quantised = frame.precision == Precision::Q16 ||
                           (frame.precision == Precision::Auto && frame.series.size() > kF32Series);
    JsonWriter fields;
    fields.begin_array();
    BodyWriter body(fields);
    const SharedX place = place_x(frame);
    if (frame.error_json.empty()) {
        write_x(body, frame, place, quantised);
        write_values(body, frame, "min", &ChartSeries::min, quantised);
        write_values(body, frame, "max", &ChartSeries::max, quantised);
        write_values(body, frame, "mean", &ChartSeries::mean, quantised);
        write_values(body, frame, "last", &ChartSeries::last, quantised);
        write_values(body, frame, "smooth", &ChartSeries::smooth, quantised);
        write_values(body, frame, "low", &ChartSeries::low, quantised);
        write_values(body, frame, "high", &ChartSeries::high, quantised);
        write_counts(body, frame);
    }
    fields.end_array();

    JsonWriter json;
    json.begin_object().member("chart", frame.chart).member("revision", frame.revision);
    if (!frame.error_json.empty()) {
        json.key("error").raw(frame.error_json);
    }
    json.key("x").raw(axis_json(frame.x)).member("y_scale", to_string(frame.y_scale));
    write_names(json, "runs", frame.runs);
    write_names(json, "keys", frame.keys);
    if (frame.grouped) {
        json.key("groups").begin_array();
        for (const query::ChartGroup& group : frame.groups) {
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
    write_directory(json, frame, place);
    json.key("fields").raw(fields.text());
    json.member("missing", frame.missing)
        .member("outside", frame.outside)
        .member("query_ms", frame.query_ms)
        .end_object();

    std::string header = std::move(json).take();
    header.resize((header.size() + 7) / 8 * 8, ' ');
    const std::string bytes = body.take();
    std::string out("TFS1");
    const auto header_size = static_cast<std::uint32_t>(header.size());
    const auto body_size = static_cast<std::uint64_t>(bytes.size());
    out.append(reinterpret_cast<const char*>(&header_size), 4)
        .append(reinterpret_cast<const char*>(&body_size), 8);
    return out.append(header).append(bytes);
}

}  // namespace taffrail::server
