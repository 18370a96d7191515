#include "sample_run.h"

#include "base/try.h"
#include "codec/capture.h"
#include "codec/png.h"
#include "codec/tlog/meta.h"
#include "codec/value_codec.h"
#include "codec/wav.h"
#include "store/layout.h"
#include "store/meta_edit.h"
#include "store/sealing.h"
#include "transfer/run_writer.h"

#include <cmath>
#include <limits>
#include <vector>

namespace taffrail::fuzzing {
namespace {

constexpr std::int64_t kStart = 1'700'000'000'000'000'000, kSecond = 1'000'000'000;

Bytes ramp(std::size_t size) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = static_cast<std::byte>(i * 13);
    }
    return bytes;
}

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

Blob png(std::uint32_t width, std::uint32_t height, int channels) {
    const Bytes pixels = ramp(std::size_t{width} * height * static_cast<std::size_t>(channels));
    return make_blob(encode_png(pixels.data(), width, height, channels).value());
}

Result<void> write_scalars(transfer::RunWriter& to, std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first; i < first + count; ++i) {
        Point point;
        point.step = i * 10;
        point.time_ns = kStart + i * kSecond;
        point.epoch = static_cast<double>(i) / 8;
        point.samples = i * 64;
        point.phase = i % 2 == 0 ? Phase::Train : Phase::Validate;
        point.value = 1.0 / static_cast<double>(i + 1);
        TAFFRAIL_TRY(to.scalar("loss", point));
        point.value = i == 3   ? std::nan("")
                      : i == 4 ? std::numeric_limits<double>::infinity()
                               : static_cast<double>(i);
        TAFFRAIL_TRY(to.scalar("val/acc", point));
    }
    return {};
}

Result<void> write_values(transfer::RunWriter& to) {
    std::int64_t step = 0;
    for (const auto& [key, value] : sample_values()) {
        Entry entry;
        entry.step = ++step;
        entry.time_ns = kStart + step * kSecond;
        entry.epoch = 0.5;
        entry.samples = 640;
        entry.phase = Phase::Validate;
        entry.value = std::make_shared<const Value>(value);
        TAFFRAIL_TRY(to.value(key, entry));
    }
    return {};
}

RunInfo info_of_sample() {
    RunInfo info;
    info.id = "01FUZZ";
    info.name = "run";
    info.project = "digits";
    info.group = "night";
    info.job_type = "train";
    info.notes = "first\nsecond";
    info.tags = {"good", "first"};
    info.start_time_ns = kStart;
    info.world_size = 2;
    info.config = {{"lr", Cell{3e-4}}, {"model/depth", Cell{std::int64_t{4}}}};
    info.summary = {{"best", Cell{0.91}}};
    return info;
}

/// One series long enough for bins at several widths, and nothing else.
Result<std::string> write_long(const std::string& root) {
    RunInfo info = info_of_sample();
    info.world_size = 1;
    TAFFRAIL_ASSIGN(const auto run, transfer::RunWriter::create(root, info, {.number = 0xA11CE}));
    for (std::int64_t i = 0; i < 5000; ++i) {
        Point point;
        point.step = i;
        point.time_ns = kStart + i * kSecond;
        point.value = static_cast<double>(i % 7);
        TAFFRAIL_TRY(run->scalar("loss", point));
    }
    TAFFRAIL_TRY(run->finish(RunState::Finished));
    return run->folder();
}

/// A clock that says anything, as a stranger's may.
Result<std::string> write_edges(const std::string& root) {
    RunInfo info = info_of_sample();
    info.start_time_ns = INT64_MIN + 1;
    TAFFRAIL_ASSIGN(const auto run, transfer::RunWriter::create(root, info, {.number = 0xA11CE}));
    for (const std::int64_t edge : {INT64_MIN, INT64_MIN + 1, std::int64_t{-1}, std::int64_t{0},
                                    std::int64_t{1} << 53, INT64_MAX - 1, INT64_MAX}) {
        Point point;
        point.step = point.time_ns = point.samples = edge;
        point.epoch = static_cast<double>(edge) * 1e300;
        point.value = static_cast<double>(edge);
        TAFFRAIL_TRY(run->scalar("loss", point));
        Entry entry;
        entry.step = entry.time_ns = edge;
        entry.samples = edge;
        entry.value = std::make_shared<const Value>(Histogram{
            {-1e308, 0, 1e308}, {1e308, 1e308}, UINT64_MAX, UINT64_MAX, 0, -1e308, 1e308, 0, 0});
        TAFFRAIL_TRY(run->value("histogram", entry));
    }
    TAFFRAIL_TRY(run->finish(RunState::Finished));
    return run->folder();
}

Result<std::string> write_logs(const std::string& root, Sample sample) {
    const RunInfo info = info_of_sample();
    TAFFRAIL_ASSIGN(const auto first,
                    transfer::RunWriter::create(root, info, {.number = 0xA11CE, .host = "here"}));
    TAFFRAIL_TRY(first->environment({{"host/name", Cell{std::string("here")}}}));
    TAFFRAIL_TRY(write_scalars(*first, 0, 12));
    TAFFRAIL_TRY(write_values(*first));
    TAFFRAIL_TRY(
        first->console({{kStart, false, 0, "hello"}, {kStart + 1, true, 0, "\x1b[31mred\x1b[0m"}}));
    TAFFRAIL_ASSIGN(const auto second,
                    transfer::RunWriter::join(first->folder(), info, {.number = 0xB0B, .rank = 1}));
    TAFFRAIL_TRY(write_scalars(*second, 0, 5));
    TAFFRAIL_ASSIGN(const auto third,
                    transfer::RunWriter::join(first->folder(), info,
                                              {.number = 0xCAFE, .attempt = 1, .resume_step = 60}));
    TAFFRAIL_TRY(write_scalars(*third, 6, 8));
    for (const auto& writer : {first.get(), second.get(), third.get()}) {
        TAFFRAIL_TRY(sample == Sample::Killed ? writer->abandon()
                                              : writer->finish(RunState::Finished));
    }
    return first->folder();
}

}  // namespace

std::vector<std::pair<std::string, Value>> sample_values() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Table table{{"a", "b"},
                      {{Cell{}, Cell{true}},
                       {Cell{std::int64_t{-5}}, Cell{nan}},
                       {Cell{std::string("x")}, Cell{-0.0}}}};
    const std::vector<float> corners{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const std::vector<std::uint32_t> faces{0, 1, 2, 0, 1, 3};
    Bytes mesh = bytes_of(corners);
    append(mesh, ByteSpan(bytes_of(faces)));
    append(mesh, ByteSpan(ramp(12)));
    const std::vector<float> pixels{0, 0.5f, 1, 2, -1, 0.25f, 0.125f, 3, 0.75f, 0.5f, 0, 1};
    const Bytes sound = encode_wav(ramp(64), DType::I16, 2, 8000).value();
    std::vector<std::pair<std::string, Value>> values{
        {"histogram", Histogram{{-1, 0, 2.5}, {3, 4}, 1, 2, 3, -1, 2.5, 7, 9}},
        {"image", Image{"png", DType::U8, 4, 3, 3, {png(4, 3, 3), png(4, 3, 3)}, {"", "two"}}},
        {"float_image", Image{"raw", DType::F32, 2, 2, 3, {make_blob(bytes_of(pixels))}, {}}},
        {"audio", Audio{"wav", 8000, 2, 16, make_blob(sound), "hum"}},
        {"video", Video{"gif", 2, 2, 2, 3, 12.5, make_blob(ramp(24)), "clip"}},
        {"mesh", Mesh{"arrays", 4, 2, true, false, R"({"camera":{}})", make_blob(mesh)}},
        {"text", Text{"# title\n\xF0\x9F\x98\x80", false}},
        {"table", table},
        {"figure", Figure{R"({"data":[{"y":[1,2]}]})", "png", png(2, 2, 1)}},
        {"graph",
         Graph{{{"a/b", "Conv", {"x", ""}, {-1, 3}, 128, "gpu:0", {{"k", Cell{std::int64_t{3}}}}},
                {"x", "Input", {}, {}, 0, "", {}}}}},
        {"pr", PrCurve{{0, 1}, {2, 0}, {1, 0}, {0, 1}, {0, 2}, {0.5, 1}, {1, 0}}},
        {"embedding", Embedding{3, 2, make_blob(bytes_of(std::vector<float>{1, 2, 3, 4, 5, 6})),
                                table, png(4, 4, 3), 2, 2}},
        {"settings", Hparams{{"lr", Cell{1e-3}},
                             {"depth", Cell{std::int64_t{4}}},
                             {"name", Cell{std::string("x")}}}},
        {"model",
         Artifact{
             "model", "weights", "v0", {{"a/b.bin", make_blob(ramp(40))}}, {{"k", Cell{false}}}}},
        {"alert", Alert{AlertLevel::Error, "title", "text"}},
        {"note", Note{"note"}},
        {"tag", Tag{"tag", true}},
        {"tensor", Tensor{DType::I16, Shape{2, 1, 5}, make_blob(ramp(20))}},
        {"large", Tensor{DType::U8, Shape{600}, make_blob(ramp(600))}},
    };
    for (auto& [key, value] : values) {
        for_each_blob(value, seal_blob);
    }
    return values;
}

Result<std::string> write_sample(const std::string& root, Sample sample) {
    TAFFRAIL_ASSIGN(const std::string folder, sample == Sample::Long    ? write_long(root)
                                              : sample == Sample::Edges ? write_edges(root)
                                                                        : write_logs(root, sample));
    if (sample == Sample::Both || sample == Sample::Sealed || sample == Sample::Long) {
        TAFFRAIL_TRY(store::seal_finished(folder));
    }
    if (sample == Sample::Sealed || sample == Sample::Long) {
        TAFFRAIL_TRY(store::drop_sealed_logs(folder, std::chrono::nanoseconds(0), INT64_MAX / 2));
    }
    if (sample == Sample::Deleted) {
        TAFFRAIL_TRY(store::set_notes(folder, "other notes"));
        const ByteSpan color = as_bytes("#372dcd");
        TAFFRAIL_TRY(
            store::edit_meta(folder, {{tlog::MetaType::Colour, {color.begin(), color.end()}},
                                      {tlog::MetaType::Archived, tlog::encode_flag(true)}}));
        TAFFRAIL_TRY(store::set_deleted(folder, true));
    }
    return folder;
}

}  // namespace taffrail::fuzzing
