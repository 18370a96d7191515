#include "cli/demo/training_writer.h"

#include <fmt/core.h>

#include <cmath>
#include <numbers>

namespace taffrail::cli::demo {

Result<void> TrainingWriter::put(std::string_view key, Step step, double value, Phase phase) {
    Point point;
    point.step = step;
    point.time_ns = span_.time(step);
    point.value = value;
    point.phase = phase;
    if (phase != Phase::None) {
        point.epoch = static_cast<double>(step) / kStepsAnEpoch;
        point.samples = step * recipe_.batch_size * recipe_.world_size;
    }
    return writer_.scalar(key, point);
}

double TrainingWriter::odd_value(Step step, double loss) const {
    const auto at = [&](double share, Step offset = 0) {
        return step == static_cast<Step>(share * static_cast<double>(span_.total)) + offset;
    };
    if (recipe_.fate == Fate::Spikes && at(0.617)) {
        return 3.1;
    }
    if (recipe_.fate == Fate::LogsNonFinite) {
        // Between the last two NaN stands a lone finite point.
        if (at(0.2) || at(0.2, 1) || at(0.6) || at(0.6, 2)) {
            return std::nan("");
        }
        if (at(0.45)) {
            return INFINITY;
        }
    }
    return recipe_.fate == Fate::Fails && step == span_.end - 1 ? std::nan("") : loss;
}

Result<void> TrainingWriter::train(Step step) {
    const double progress = span_.progress(step);
    const double fall = std::exp(-recipe_.speed * progress);
    drift_ = 0.98 * drift_ + 0.02 * random_.normal();
    const double loss = recipe_.floor * 0.85 + 2.2 * fall * (1 + 0.04 * random_.normal()) +
                        0.1 * drift_ + 0.01 * random_.normal();
    accuracy_ = std::clamp(1 - loss * 0.4 + 0.005 * random_.normal(), 0.0, 1.0);
    const double warm = std::min(1.0, static_cast<double>(step + 1) / kStepsAnEpoch);
    const double rate =
        recipe_.learning_rate * warm * 0.5 * (1 + std::cos(std::numbers::pi * progress));
    const double data_ms = 22 + 18 * fall + 3 * std::abs(random_.normal());
    const double step_ms = 158 + data_ms + 5 * random_.normal();
    TAFFRAIL_TRY(put("train/loss", step, odd_value(step, loss)));
    TAFFRAIL_TRY(put("train/accuracy", step, accuracy_));
    TAFFRAIL_TRY(put("train/grad_norm", step, std::abs(0.6 + 11 * fall + 0.3 * random_.normal())));
    TAFFRAIL_TRY(put("train/kl", step, 18 * (1 - fall) + 0.2 * random_.normal()));
    TAFFRAIL_TRY(put("train/lr", step, rate));
    TAFFRAIL_TRY(put("train/samples_per_second", step,
                     1e3 * static_cast<double>(recipe_.batch_size * recipe_.world_size) / step_ms));
    TAFFRAIL_TRY(put("time/step_ms", step, step_ms, Phase::None));
    TAFFRAIL_TRY(put("time/data_ms", step, data_ms, Phase::None));
    const Step stride = std::max<Step>(span_.total / 40, 1);
    return step % stride == stride - 1 ? validate(step, loss) : Result<void>();
}

Result<void> TrainingWriter::validate(Step step, double loss) {
    const double held_out = loss + recipe_.floor * 0.15 + 0.01 * std::abs(random_.normal());
    best_loss_ = std::min(best_loss_, held_out);
    const double accuracy = std::clamp(1 - held_out * 0.4, 0.0, 1.0);
    TAFFRAIL_TRY(put("val/loss", step, held_out, Phase::Validate));
    TAFFRAIL_TRY(put("val/accuracy", step, accuracy, Phase::Validate));
    return put("val/f1", step, accuracy * 0.98 - 0.002 * random_.uniform(), Phase::Validate);
}

Result<void> TrainingWriter::scalars() {
    for (Step step = span_.first; step < span_.end; ++step) {
        TAFFRAIL_TRY(train(step));
    }
    return span_.end == span_.total
               ? put("test/accuracy", span_.end - 1, accuracy_ - 0.01, Phase::Test)
               : Result<void>();
}

// GPUs stand idle now and then, each at another time.
Result<void> TrainingWriter::gpu(const std::string& prefix, int number, Step step,
                                 std::int64_t reading) {
    const double busy = reading / 12 % 7 == (number + 3) % 7 ? 0.25 : 1;
    const double warmth = 1 - std::exp(-static_cast<double>(reading) / 30);
    const double load = std::clamp((88 + 5 * random_.normal()) * busy, 0.0, 100.0);
    const double memory =
        std::min(78.0, 30 + static_cast<double>(reading)) + 0.5 * random_.normal();
    const double power = 90 + 480 * busy + 15 * random_.normal();
    const double temperature = 38 + 28 * warmth * busy + random_.normal();
    const std::string at = fmt::format("{}gpu/{}/", prefix, number);
    TAFFRAIL_TRY(put(at + "percent", step, load, Phase::None));
    TAFFRAIL_TRY(put(at + "memory_percent", step, memory, Phase::None));
    TAFFRAIL_TRY(put(at + "power_watts", step, power, Phase::None));
    return put(at + "temperature_celsius", step, temperature, Phase::None);
}

Result<void> TrainingWriter::machine(const std::string& prefix) {
    const Step stride = std::max<Step>(span_.total / 200, 1);
    std::int64_t reading = span_.first / stride;
    for (Step step = span_.first; step < span_.end; step += stride, ++reading) {
        TAFFRAIL_TRY(gpu(prefix, 0, step, reading));
        TAFFRAIL_TRY(gpu(prefix, 1, step, reading));
        const std::pair<const char*, double> gauges[] = {
            {"cpu/percent", 45 + 6 * random_.normal()},
            {"memory/percent", 58 + 4 * span_.progress(step) + 0.3 * random_.normal()},
            {"disk/read_bytes_per_second", std::abs(4e7 + 1e7 * random_.normal())},
            {"network/sent_bytes_per_second", std::abs(2e6 + 5e5 * random_.normal())},
            {"process/threads", 34 + static_cast<double>(random_.bits() % 3)}};
        for (const auto& [name, value] : gauges) {
            TAFFRAIL_TRY(put(prefix + name, step, value, Phase::None));
        }
    }
    return {};
}

}  // namespace taffrail::cli::demo
