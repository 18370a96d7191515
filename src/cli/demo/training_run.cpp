#include "cli/demo/training_run.h"

#include "cli/demo/training_writer.h"
#include "store/sealing.h"

#include <fmt/core.h>

#include <algorithm>

namespace taffrail::cli::demo {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

Span span_of(const Recipe& recipe, const DemoOptions& options, Random& random) {
    const std::int64_t points = options.points;
    Span span{0, points, points, 0,
              kSecond / 8 + static_cast<std::int64_t>(random.uniform() * kSecond / 8)};
    if (recipe.fate == Fate::Fails) {
        span.end = std::max<Step>(points * 2 / 5, 1);
    } else if (recipe.fate == Fate::Crashes || recipe.fate == Fate::GoesSilent) {
        span.end = std::max<Step>(points * 7 / 10, 1);
    }
    const std::int64_t age = (options.runs - 1 - recipe.index) * 3 * 3600 * kSecond;
    span.start_ns = options.now_ns - age - span.end * span.step_ns;
    return span;
}

std::string load_prefix(const Recipe& recipe, std::int32_t rank) {
    return recipe.world_size > 1 ? "system/" + host_of(recipe, rank) + "/" : "system/";
}

/// Killed at 60 %; the attempt that follows starts again from a checkpoint at 50 %.
Result<void> write_first_attempt(const Recipe& recipe, const Span& whole,
                                 transfer::RunWriter& writer, std::uint64_t seed) {
    Span span = whole;
    span.end = whole.total * 3 / 5;
    TrainingWriter attempt(recipe, span, writer, seed);
    TAFFRAIL_TRY(attempt.scalars());
    TAFFRAIL_TRY(attempt.machine(load_prefix(recipe, 0)));
    TAFFRAIL_TRY(writer.console(console_of(recipe, 0, std::min<std::int64_t>(span.end, 400),
                                           span.start_ns, span.time(span.end))));
    return writer.finish(RunState::Crashed, "killed by signal 9");
}

Result<void> write_other_rank(const Recipe& recipe, const Span& span, const std::string& folder,
                              const RunInfo& info, std::int32_t rank, Random& random) {
    const transfer::RunWriterIdentity who{
        .number = random.bits() | 1, .rank = rank, .host = host_of(recipe, rank)};
    TAFFRAIL_ASSIGN(const auto writer, transfer::RunWriter::join(folder, info, who));
    TrainingWriter peer(recipe, span, *writer, random.bits());
    TAFFRAIL_TRY(peer.machine(load_prefix(recipe, rank)));
    TAFFRAIL_TRY(writer->console(console_of(recipe, rank, std::min<std::int64_t>(span.end, 500),
                                            span.start_ns, span.time(span.end))));
    return recipe.fate == Fate::GoesSilent ? writer->abandon() : writer->finish(RunState::Finished);
}

Result<void> end_run(const Recipe& recipe, const Span& span, transfer::RunWriter& writer) {
    switch (recipe.fate) {
        case Fate::GoesSilent:
            return writer.abandon();
        case Fate::Fails:
            return writer.finish(
                RunState::Failed,
                fmt::format("ValueError in train.py line 88: the loss is NaN at step {}",
                            span.end - 1));
        case Fate::Crashes:
            return writer.finish(RunState::Crashed, "killed by signal 9");
        default:
            return writer.finish(RunState::Finished);
    }
}

}  // namespace

Result<void> write_training_run(const std::string& root, const DemoOptions& options,
                                std::int64_t index) {
    Random random(options.seed * 1'000'003 + static_cast<std::uint64_t>(index));
    const Recipe recipe = make_recipe(index, options.runs, random);
    Span span = span_of(recipe, options, random);
    const bool resumes = recipe.fate == Fate::Resumes && options.points >= 10;
    if (resumes) {
        span.start_ns -= options.points * 3 / 5 * span.step_ns;
    }
    RunInfo info = describe(recipe, span.start_ns, random);
    transfer::RunWriterIdentity who{.number = random.bits() | 1, .host = host_of(recipe, 0)};
    TAFFRAIL_ASSIGN(auto writer, transfer::RunWriter::create(root, info, who));
    const std::string folder = writer->folder();
    TAFFRAIL_TRY(writer->environment(environment_of(recipe, random)));
    if (resumes) {
        TAFFRAIL_TRY(write_first_attempt(recipe, span, *writer, random.bits()));
        span.start_ns += options.points * 3 / 5 * span.step_ns + 60 * kSecond;
        span.first = options.points / 2;
        info.start_time_ns = span.start_ns;
        who = {.number = random.bits() | 1,
               .attempt = 1,
               .host = host_of(recipe, 0),
               .resume_step = span.first};
        TAFFRAIL_ASSIGN(writer, transfer::RunWriter::join(folder, info, who));
    }
    TrainingWriter run(recipe, span, *writer, random.bits());
    TAFFRAIL_TRY(run.scalars());
    TAFFRAIL_TRY(run.machine(load_prefix(recipe, 0)));
    if (options.media) {
        TAFFRAIL_TRY(run.values(info.config));
    }
    TAFFRAIL_TRY(run.alerts());
    TAFFRAIL_TRY(writer->console(console_of(recipe, 0, std::min<std::int64_t>(span.end, 2000),
                                            span.start_ns, span.time(span.end))));
    TAFFRAIL_TRY(writer->summary({{"best/val_loss", Cell(run.best_loss())},
                                  {"best/accuracy", Cell(run.last_accuracy())},
                                  {"epochs", Cell(span.end / kStepsAnEpoch)}}));
    for (std::int32_t rank = 1; rank < recipe.world_size; ++rank) {
        TAFFRAIL_TRY(write_other_rank(recipe, span, folder, info, rank, random));
    }
    TAFFRAIL_TRY(end_run(recipe, span, *writer));
    if (options.seal && recipe.fate != Fate::GoesSilent) {
        TAFFRAIL_TRY(store::seal_finished(folder));
    }
    return {};
}

}  // namespace taffrail::cli::demo
