#include "cli/demo/scale.h"

#include "base/names.h"
#include "base/try.h"
#include "cli/demo/pictures.h"
#include "cli/demo/recipe.h"
#include "store/sealing.h"
#include "transfer/run_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace taffrail::cli::demo {
namespace {

constexpr std::int64_t kStepNs = 100'000'000;

/// The series people look for first have the names they expect; the rest fills sections.
std::vector<std::string> tag_names(std::int64_t count) {
    std::vector<std::string> names{"train/loss", "val/loss", "train/accuracy", "train/grad_norm"};
    for (auto i = static_cast<std::int64_t>(names.size()); i < count; ++i) {
        names.push_back(fmt::format("layer{:03}/metric_{:04}", i / 20, i));
    }
    names.resize(static_cast<std::size_t>(count));
    return names;
}

RunInfo plain_run(const char* project, std::int64_t start_ns, Random& random) {
    RunInfo info;
    info.id = seeded_id(start_ns, random);
    info.name = make_run_name(random.bits());
    info.project = project;
    info.start_time_ns = start_ns;
    return info;
}

Result<void> write_sweep_run(const std::string& root, const DemoOptions& options,
                             const std::vector<std::string>& names, std::int64_t index) {
    Random random(options.seed * 1'000'003 + static_cast<std::uint64_t>(index));
    const std::int64_t age = (options.runs - 1 - index) * 60 * std::int64_t{1'000'000'000};
    RunInfo info = plain_run("sweep", options.now_ns - age - options.points * kStepNs, random);
    const double rate = std::pow(10.0, -5 + 3 * random.uniform());
    const std::int64_t width = std::int64_t{64} << (index % 4);
    info.group = fmt::format("w{}", width);
    info.tags = index % 10 == 0 ? std::vector<std::string>{"baseline"} : std::vector<std::string>{};
    info.config = {{"lr", Cell(rate)},
                   {"width", Cell(width)},
                   {"seed", Cell(index)},
                   {"momentum", Cell(std::round(random.uniform() * 100) / 100)}};
    TAFFRAIL_ASSIGN(const auto writer,
                    transfer::RunWriter::create(root, info, {.number = random.bits() | 1}));

    struct Curve {
        double from, to, speed;
    };

    std::vector<Curve> curves;
    for (std::size_t tag = 0; tag < names.size(); ++tag) {
        curves.push_back({2.3 + random.uniform(),
                          0.2 + 0.2 * std::abs(std::log10(rate) + 3.4) + 0.02 * random.uniform(),
                          3 + 6 * random.uniform()});
    }
    for (Step step = 0; step < options.points; ++step) {
        const double progress = static_cast<double>(step) / static_cast<double>(options.points);
        Point point;
        point.step = step;
        point.time_ns = info.start_time_ns + step * kStepNs;
        for (std::size_t tag = 0; tag < names.size(); ++tag) {
            const Curve& curve = curves[tag];
            // Noise of equal weights: ten million points must not cost minutes.
            const double noise = 0.12 * (random.uniform() - 0.5);
            point.value =
                curve.to + (curve.from - curve.to) * std::exp(-curve.speed * progress) + noise;
            TAFFRAIL_TRY(writer->scalar(names[tag], point));
        }
    }
    TAFFRAIL_TRY(writer->finish(RunState::Finished));
    if (options.seal) {
        TAFFRAIL_TRY(store::seal_finished(writer->folder()));
    }
    return {};
}

Result<void> put(transfer::RunWriter& writer, std::string_view key, Step step, std::int64_t time_ns,
                 Result<Value> value) {
    TAFFRAIL_TRY(value);
    Entry entry;
    entry.step = step;
    entry.time_ns = time_ns;
    entry.value = std::make_shared<const Value>(std::move(*value));
    return writer.value(key, entry);
}

}  // namespace

Result<void> write_sweep(const std::string& root, const DemoOptions& options) {
    const std::vector<std::string> names = tag_names(options.tags);
    for (std::int64_t index = 0; index < options.runs; ++index) {
        TAFFRAIL_TRY(write_sweep_run(root, options, names, index));
    }
    return {};
}

Result<void> write_pictures(const std::string& root, const DemoOptions& options) {
    Random random(options.seed);
    const RunInfo info = plain_run("images", options.now_ns - options.points * kStepNs, random);
    TAFFRAIL_ASSIGN(const auto writer,
                    transfer::RunWriter::create(root, info, {.number = random.bits() | 1}));
    for (std::int64_t i = 0; i < options.points; ++i) {
        TAFFRAIL_TRY(put(*writer, "frames", i * 10, info.start_time_ns + i * kStepNs,
                         numbered_picture(static_cast<std::uint32_t>(i))));
    }
    return writer->finish(RunState::Finished);
}

Result<void> write_meshes(const std::string& root, const DemoOptions& options) {
    Random random(options.seed);
    const RunInfo info = plain_run("meshes", options.now_ns, random);
    TAFFRAIL_ASSIGN(const auto writer,
                    transfer::RunWriter::create(root, info, {.number = random.bits() | 1}));
    TAFFRAIL_TRY(put(*writer, "cloud", 0, options.now_ns, cloud(options.points, options.seed)));
    TAFFRAIL_TRY(put(*writer, "cube", 0, options.now_ns, cube()));
    for (int i = 0; i < 38; ++i) {
        TAFFRAIL_TRY(
            put(*writer, fmt::format("small/{:02}", i), 0, options.now_ns, sphere(10, i / 80.0)));
    }
    return writer->finish(RunState::Finished);
}

}  // namespace taffrail::cli::demo
