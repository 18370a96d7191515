#include "cli/demo_data.h"

#include "base/names.h"
#include "base/try.h"
#include "cli/run_writer.h"
#include "codec/capture.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace taffrail::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// The same for the same seed on every machine: std::normal_distribution is not.
class Random {
  public:
    explicit Random(std::uint64_t seed) : generator_(seed) {}

    std::uint64_t bits() { return generator_(); }

    double uniform() { return static_cast<double>(generator_() >> 11) * 0x1p-53; }

    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

  private:
    std::mt19937_64 generator_;
};

std::string seeded_id(std::int64_t time_ns, Random& random) {
    constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
    std::string id;
    const auto milliseconds = static_cast<std::uint64_t>(time_ns / 1'000'000);
    for (int shift = 45; shift >= 0; shift -= 5) {
        id += kDigits[(milliseconds >> shift) & 31];
    }
    while (id.size() < 26) {
        id += kDigits[random.bits() & 31];
    }
    return id;
}

/// What a run was started with; the curves follow from it.
struct Recipe {
    double rate, floor, speed;
    std::int64_t depth, batch;
    std::string optimizer;
    bool diverges, crashes;
};

Recipe make_recipe(Random& random) {
    Recipe recipe{};
    recipe.rate = std::pow(10.0, -4 + 2.5 * random.uniform());
    recipe.depth = 2 + static_cast<std::int64_t>(random.uniform() * 7);
    recipe.batch = std::int64_t{32} << static_cast<int>(random.uniform() * 4);
    recipe.optimizer = random.uniform() < 0.6 ? "adamw" : "sgd";
    recipe.floor = 0.05 + 0.3 / static_cast<double>(recipe.depth) + 0.1 * random.uniform();
    recipe.speed = 3 + 4 * random.uniform();
    recipe.diverges = recipe.rate > 0.02;
    recipe.crashes = random.uniform() < 0.08;
    return recipe;
}

RunInfo describe(const Recipe& recipe, std::int64_t index, std::int64_t start_ns, Random& random) {
    RunInfo info;
    info.id = seeded_id(start_ns, random);
    info.name = make_run_name(random.bits());
    info.project = "digits";
    info.group = "sweep-" + std::to_string(index / 6 + 1);
    info.start_time_ns = start_ns;
    info.tags =
        recipe.depth > 5 ? std::vector<std::string>{"deep"} : std::vector<std::string>{"baseline"};
    if (recipe.optimizer == "sgd") {
        info.tags.emplace_back("ablation");
    }
    info.config = {{"lr", Cell(recipe.rate)},
                   {"model/depth", Cell(recipe.depth)},
                   {"batch_size", Cell(recipe.batch)},
                   {"optimizer", Cell(recipe.optimizer)},
                   {"seed", Cell(index)}};
    return info;
}

/// A digit-like blob that sharpens as training goes on.
std::vector<float> picture(double progress, Random& random) {
    constexpr int kSide = 28;
    std::vector<float> pixels(kSide * kSide * 4);
    for (int panel = 0; panel < 4; ++panel) {
        for (int y = 0; y < kSide; ++y) {
            for (int x = 0; x < kSide; ++x) {
                const double radius =
                    std::hypot(x - 14.0, (y - 14.0) * (panel % 2 == 0 ? 0.7 : 1.0));
                const double ring =
                    std::exp(-std::pow((radius - 5 - panel) / (1 + 4 * (1 - progress)), 2));
                const double noise = 0.35 * (1 - progress) * random.normal();
                pixels[static_cast<std::size_t>((panel * kSide + y) * kSide + x)] =
                    static_cast<float>(std::clamp(ring + noise, 0.0, 1.0));
            }
        }
    }
    return pixels;
}

Result<void> write_media(RunWriter& writer, double progress, Step step, std::int64_t time_ns,
                         Random& random) {
    Entry entry;
    entry.step = step;
    entry.time_ns = time_ns;
    const std::vector<float> pixels = picture(progress, random);
    std::vector<std::uint8_t> levels;
    for (float pixel : pixels) {
        levels.push_back(static_cast<std::uint8_t>(pixel * 255));
    }
    TAFFRAIL_ASSIGN(Value image,
                    capture_image({TensorView(levels.data(), DType::U8, {4, 28, 28, 1})},
                                  {.caption = "step " + std::to_string(step)}));
    entry.value = std::make_shared<const Value>(std::move(image));
    TAFFRAIL_TRY(writer.value("samples", entry));
    std::vector<double> weights(2000);
    for (double& weight : weights) {
        weight = random.normal() * (0.3 + 0.7 * progress);
    }
    entry.value = std::make_shared<const Value>(Histogram::from_values(weights, 40));
    return writer.value("weights/decoder", entry);
}

Result<void> write_run(const std::string& root, const DemoOptions& options, std::int64_t index,
                       Random& random) {
    const Recipe recipe = make_recipe(random);
    const std::int64_t step_ns =
        kSecond / 20 + static_cast<std::int64_t>(random.uniform() * kSecond / 5);
    const std::int64_t age = (options.runs - 1 - index) * 3 * 3600 * kSecond;
    const std::int64_t start_ns = options.now_ns - age - options.points * step_ns;
    RunInfo info = describe(recipe, index, start_ns, random);
    const std::int64_t last = recipe.crashes ? options.points * 2 / 3 : options.points;
    TAFFRAIL_ASSIGN(const auto writer, RunWriter::create(root, info));
    double best = INFINITY;
    double drift = 0;
    for (Step step = 0; step < last; ++step) {
        const double progress = static_cast<double>(step) / static_cast<double>(options.points);
        drift = 0.98 * drift + 0.02 * random.normal();
        double loss = recipe.floor +
                      2.2 * std::exp(-recipe.speed * progress) * (1 + 0.05 * random.normal()) +
                      0.05 * drift;
        if (recipe.diverges && progress > 0.6) {
            loss *= std::exp((progress - 0.6) * 12);
        }
        Point point;
        point.step = step;
        point.time_ns = start_ns + step * step_ns;
        point.epoch = progress * 10;
        point.phase = Phase::Train;
        const auto put = [&](std::string_view key, double value) {
            point.value = value;
            return writer->scalar(key, point);
        };
        const double accuracy = std::clamp(1 - loss / 2.5 + 0.01 * random.normal(), 0.0, 1.0);
        TAFFRAIL_TRY(put("train/loss", recipe.diverges && progress > 0.93 ? std::nan("") : loss));
        TAFFRAIL_TRY(put("train/accuracy", accuracy));
        TAFFRAIL_TRY(
            put("train/grad_norm", std::abs(2 * std::exp(-2 * progress) + 0.3 * random.normal())));
        TAFFRAIL_TRY(put("lr", recipe.rate * 0.5 * (1 + std::cos(std::numbers::pi * progress))));
        point.phase = Phase::None;
        TAFFRAIL_TRY(
            put("system/gpu/0/percent", 88 + 6 * std::sin(progress * 40) + random.normal()));
        const std::int64_t every = std::max<std::int64_t>(options.points / 50, 1);
        if (step % every == every - 1) {
            point.phase = Phase::Validate;
            const double validation = loss * 1.08 + 0.02 * random.normal();
            best = std::min(best, validation);
            TAFFRAIL_TRY(put("val/loss", validation));
            TAFFRAIL_TRY(put("val/accuracy", std::clamp(accuracy - 0.02, 0.0, 1.0)));
        }
        if (options.media && step % std::max<std::int64_t>(options.points / 6, 1) == 0) {
            TAFFRAIL_TRY(write_media(*writer, progress, step, point.time_ns, random));
        }
    }
    TAFFRAIL_TRY(writer->summary({{"best/val_loss", Cell(best)}}));
    return writer->finish(recipe.crashes ? RunState::Crashed : RunState::Finished,
                          recipe.crashes ? "killed by signal 9" : "");
}

}  // namespace

Result<void> generate_demo_runs(const std::string& root, const DemoOptions& options) {
    Random random(options.seed);
    for (std::int64_t index = 0; index < options.runs; ++index) {
        TAFFRAIL_TRY(write_run(root, options, index, random));
    }
    return {};
}

}  // namespace taffrail::cli
