#include "server/frame.h"

#include "base/bytes.h"
#include "codec/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace taffrail::server {
namespace {

struct Decoded {
    Json header;
    std::string body;
};

Decoded decode(const std::string& bytes) {
    EXPECT_EQ(bytes.substr(0, 4), "TFS1");
    const auto header = load<std::uint32_t>(bytes.data() + 4);
    const auto body = load<std::uint64_t>(bytes.data() + 8);
    EXPECT_EQ(header % 8, 0u);
    EXPECT_EQ(body % 8, 0u);
    EXPECT_EQ(bytes.size(), 16 + header + body);
    return {parse_json(std::string_view(bytes).substr(16, header)).value(),
            bytes.substr(16 + header)};
}

const Json* field(const Decoded& frame, std::string_view name) {
    for (const Json& item : *frame.header.find("fields")->array()) {
        if (item.string_or("name", "") == name) {
            return &item;
        }
    }
    return nullptr;
}

query::ChartSeries series_of(std::vector<double> values) {
    query::ChartSeries series;
    series.run = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        series.x.push_back(static_cast<double>(i));
        series.count.push_back(1);
        series.nan.push_back(std::isnan(values[i]) ? 1 : 0);
    }
    series.x.push_back(static_cast<double>(values.size()));
    series.mean = values;
    return series;
}

TEST(FrameBytes, ArraysStandWhereTheDirectorySays) {
    Frame frame;
    frame.chart = "c1";
    frame.runs = {"a"};
    frame.keys = {"loss"};
    frame.series = {series_of({1, 2, std::nan("")}), series_of({4})};
    const Decoded decoded = decode(encode_frame(frame));
    EXPECT_EQ(decoded.header.string_or("chart", ""), "c1");
    const Json* x = field(decoded, "x");
    ASSERT_NE(x, nullptr);
    EXPECT_EQ(x->integer_or("length", 0), 6);  // one more than bins, per series
    EXPECT_EQ(x->integer_or("offset", -1) % 8, 0);
    const Json* mean = field(decoded, "mean");
    EXPECT_EQ(load<float>(decoded.body.data() + mean->integer_or("offset", 0) + 4), 2.0f);
    EXPECT_TRUE(std::isnan(load<float>(decoded.body.data() + mean->integer_or("offset", 0) + 8)));
    const Json* mark = field(decoded, "mark_bin");
    ASSERT_NE(mark, nullptr);
    EXPECT_EQ(load<std::uint32_t>(decoded.body.data() + mark->integer_or("offset", 0)), 2u);
    EXPECT_EQ(field(decoded, "min"), nullptr);
}

double number_at(const Decoded& frame, std::string_view name, std::size_t i) {
    const Json* found = field(frame, name);
    const char* begin = frame.body.data() + found->integer_or("offset", 0);
    return found->string_or("type", "") == "f64" ? load<double>(begin + 8 * i)
                                                 : load<float>(begin + 4 * i);
}

TEST(FrameBytes, FindingO05_ValuesBeyondSinglePrecisionStayFinite) {
    Frame frame;
    frame.series = {series_of({1, 1e38, 1e39, -1.7e308})};
    const Decoded decoded = decode(encode_frame(frame));
    EXPECT_EQ(field(decoded, "mean")->string_or("type", ""), "f64");
    EXPECT_EQ(number_at(decoded, "mean", 2), 1e39);
    EXPECT_EQ(number_at(decoded, "mean", 3), -1.7e308);
}

TEST(FrameBytes, FindingO05_ValuesTooFarApartToBeQuantisedComeWhole) {
    Frame frame;
    frame.precision = Precision::Q16;
    frame.series = {series_of({-1.7e308, 0, 1.7e308})};
    const Decoded decoded = decode(encode_frame(frame));
    EXPECT_EQ(field(decoded, "mean")->string_or("type", ""), "f64");
    EXPECT_EQ(number_at(decoded, "mean", 2), 1.7e308);
}

TEST(FrameBytes, FindingO11_LargeNumbersThatDifferLittleKeepEveryDigit) {
    const std::vector<std::vector<double>> odd{
        {1794810000, 1794810001, 1794810002}, {2e10, 2e10 + 512}, {5e-324, 1e-323, 1.5e-323}};
    for (const std::vector<double>& values : odd) {
        Frame frame;
        frame.precision = Precision::F32;
        frame.series = {series_of({0, 1}), series_of(values)};
        const Decoded decoded = decode(encode_frame(frame));
        for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_EQ(number_at(decoded, "mean", 2 + i), values[i]);
        }
    }
}

TEST(FrameBytes, FindingO11_OrdinaryNumbersStaySmall) {
    Frame frame;
    frame.series = {series_of({0.1, 0.9}), series_of({0.25, 0.25})};
    EXPECT_EQ(field(decode(encode_frame(frame)), "mean")->string_or("type", ""), "f32");
}

TEST(FrameBytes, SeriesAtTheSameXSendItOnce) {
    Frame frame;
    frame.share_x = true;
    frame.series = {series_of({1, 2}), series_of({3}), series_of({4, 5}), series_of({})};
    frame.series[2].x[1] = 0.5;  // ends like the first one, and is another
    frame.series.push_back(series_of({6, 7}));
    const Decoded decoded = decode(encode_frame(frame));
    const Json* x = field(decoded, "x");
    EXPECT_EQ(x->integer_or("length", 0), 3 + 2 + 3 + 1);
    std::vector<std::int64_t> first;
    for (const Json& item : *decoded.header.find("series")->find("x")->array()) {
        first.push_back(item.integer().value());
    }
    EXPECT_EQ(first, (std::vector<std::int64_t>{0, 3, 5, 8, 0}));
    EXPECT_EQ(load<double>(decoded.body.data() + x->integer_or("offset", 0) + 8 * 6), 0.5);
}

TEST(FrameBytes, QuantisedValuesAreWithinOneStep) {
    Frame frame;
    frame.precision = Precision::Q16;
    frame.y_scale = query::AxisScale::Log;
    frame.series = {series_of({1e-6, 1, 1e6, -1})};
    const Decoded decoded = decode(encode_frame(frame));
    const Json* mean = field(decoded, "mean");
    ASSERT_EQ(mean->string_or("type", ""), "q16");
    const double bias = mean->number_or("bias", 0), scale = mean->number_or("scale", 0);
    const auto at = [&](std::size_t i) {
        return load<std::uint16_t>(decoded.body.data() + mean->integer_or("offset", 0) + 2 * i);
    };
    EXPECT_NEAR(bias + scale * at(0), -6, scale);
    EXPECT_NEAR(bias + scale * at(1), 0, scale);
    EXPECT_NEAR(bias + scale * at(2), 6, scale);
    EXPECT_EQ(at(3), 65535);  // not on a log axis
}

}  // namespace
}  // namespace taffrail::server
