#include "cli/demo/recipe.h"

#include "base/names.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace taffrail::cli::demo {
namespace {

Fate fate_of(std::int64_t index, std::int64_t runs) {
    constexpr std::int64_t kFewRuns = 8;
    if (runs >= kFewRuns && index == runs - 1) {
        return Fate::GoesSilent;
    }
    switch (index) {
        case 1:
            return Fate::LogsNonFinite;
        case 2:
            return Fate::Spikes;
        case 3:
            return Fate::Fails;
        case 5:
            return Fate::Resumes;
        case 7:
            return Fate::Crashes;
        default:
            return Fate::Finishes;
    }
}

std::string diff_of(const Recipe& recipe) {
    return fmt::format(
        "diff --git a/train.py b/train.py\n--- a/train.py\n+++ b/train.py\n"
        "@@ -12,4 +12,5 @@ def main():\n     model = build(config)\n"
        "-    lr = 1e-3\n+    lr = {:g}\n+    depth = {}\n     train(model)\n"
        "     save(model)\n",
        recipe.learning_rate, recipe.depth);
}

}  // namespace

Recipe make_recipe(std::int64_t index, std::int64_t runs, Random& random) {
    constexpr std::array kRates{1e-4, 3e-4, 1e-3, 3e-3};
    constexpr std::array kModels{"resnet50", "vit-b", "vae"};
    const auto place = static_cast<std::size_t>(index);
    Recipe recipe;
    recipe.index = index;
    recipe.learning_rate = kRates[place % kRates.size()];
    recipe.weight_decay = std::pow(10.0, -5 + static_cast<double>(index / 2 % 3));
    recipe.dropout = std::round(random.uniform() * 50) / 100;
    recipe.depth = 2 + index / 4 % 3 * 2;
    recipe.batch_size = index / 3 % 2 == 0 ? 64 : 128;
    recipe.model = kModels[place % kModels.size()];
    recipe.optimizer = index % 5 == 1 || index % 5 == 3 ? "sgd" : "adamw";
    recipe.augment = index % 2 == 0;
    recipe.world_size = index % 4 == 0 && runs > 1 ? 2 : 1;
    recipe.fate = fate_of(index, runs);
    recipe.floor = 0.08 + 0.25 * std::abs(std::log10(recipe.learning_rate / 6e-4)) +
                   (recipe.depth == 4 ? 0 : 0.06) + 0.04 * recipe.dropout + 0.01 * random.uniform();
    recipe.speed = 4 + 4 * random.uniform();
    return recipe;
}

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

RunInfo describe(const Recipe& recipe, std::int64_t start_ns, Random& random) {
    RunInfo info;
    info.id = seeded_id(start_ns, random);
    info.name = make_run_name(random.bits());
    info.project = "digits";
    info.group = recipe.model;
    info.job_type = recipe.index % 10 == 9 ? "fine-tune" : "train";
    info.start_time_ns = start_ns;
    info.world_size = recipe.world_size;
    info.tags = {recipe.augment ? "ablation" : "baseline"};
    if (recipe.floor < 0.2) {
        info.tags.emplace_back("good");
    }
    if (recipe.index == 0) {
        info.notes = "First run with the **new** loader.\n\n- warm-up of 100 steps\n- cosine decay";
    }
    info.config = {{"lr", Cell(recipe.learning_rate)},
                   {"depth", Cell(recipe.depth)},
                   {"model", Cell(recipe.model)},
                   {"batch_size", Cell(recipe.batch_size)},
                   {"optimizer", Cell(recipe.optimizer)},
                   {"dropout", Cell(recipe.dropout)},
                   {"weight_decay", Cell(recipe.weight_decay)},
                   {"seed", Cell(recipe.index)},
                   {"data/name", Cell("digits")},
                   {"data/augment", Cell(recipe.augment)}};
    // Left out of some runs: a column with holes.
    if (recipe.index % 5 != 0) {
        info.config.emplace_back("scheduler", Cell("cosine"));
    }
    return info;
}

std::string host_of(const Recipe& recipe, std::int32_t rank) {
    return fmt::format("n{}", 17 + recipe.index % 3 + rank);
}

Hparams environment_of(const Recipe& recipe, Random& random) {
    const bool newer = recipe.index % 4 == 3;
    Hparams all = {{"host/name", Cell(host_of(recipe, 0))},
                   {"host/system", Cell("Debian GNU/Linux 12 (bookworm)")},
                   {"cpu/model", Cell("AMD EPYC 7763 64-Core Processor")},
                   {"cpu/threads", Cell(std::int64_t{128})},
                   {"memory/bytes", Cell(std::int64_t{540'000'000'000})},
                   {"gpu/driver", Cell(newer ? "560.35" : "550.90")},
                   {"gpu/0/name", Cell("NVIDIA H100 80GB HBM3")},
                   {"gpu/1/name", Cell("NVIDIA H100 80GB HBM3")},
                   {"python/version", Cell("3.11.7")},
                   {"command/line", Cell(fmt::format("python train.py --lr {:g} --depth {}",
                                                     recipe.learning_rate, recipe.depth))},
                   {"git/commit", Cell(fmt::format("{:016x}{:016x}{:08x}", random.bits(),
                                                   random.bits(), random.bits() >> 32))},
                   {"git/branch", Cell("main")},
                   {"git/dirty", Cell(recipe.augment)},
                   {"package/numpy", Cell("1.26.4")},
                   {"package/torch", Cell(newer ? "2.4.0" : "2.3.1")},
                   {"package/taffrail", Cell("0.1.0")}};
    if (recipe.augment) {
        all.emplace_back("git/diff", Cell(diff_of(recipe)));
    }
    return all;
}

std::vector<ConsoleLine> console_of(const Recipe& recipe, std::int32_t rank, std::int64_t lines,
                                    std::int64_t start_ns, std::int64_t end_ns) {
    std::vector<ConsoleLine> all;
    for (std::int64_t i = 0; i < lines; ++i) {
        const double share =
            static_cast<double>(i) / static_cast<double>(std::max<std::int64_t>(lines, 1));
        ConsoleLine line;
        line.time_ns =
            start_ns + static_cast<std::int64_t>(share * static_cast<double>(end_ns - start_ns));
        line.rank = rank;
        line.is_error = i % 97 == 96;
        line.text =
            line.is_error
                ? fmt::format("\x1b[33mwarning\x1b[0m: the data loader waited {} ms", i * 7 % 90)
                : fmt::format(
                      "\x1b[2m[{:05}]\x1b[0m epoch {} \x1b[1mloss\x1b[0m \x1b[32m{:.4f}\x1b[0m", i,
                      i / 100, recipe.floor + 2.2 * std::exp(-recipe.speed * share));
        all.push_back(std::move(line));
    }
    if (recipe.fate == Fate::Fails) {
        all.push_back({end_ns, true, rank, "\x1b[31mTraceback (most recent call last):\x1b[0m"});
        all.push_back({end_ns, true, rank, "  File \"train.py\", line 88, in training_step"});
        all.push_back({end_ns, true, rank, "\x1b[1;31mValueError\x1b[0m: the loss is NaN"});
    }
    return all;
}

}  // namespace taffrail::cli::demo
