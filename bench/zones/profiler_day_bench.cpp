// Memory of the simple profiler over a day of training, simulated: as many steps as a day has, ten
// a second, without the day. Prints how much resident memory grew after the first hundred steps.
#include <taffrail/profiler.h>
#include <taffrail/zone.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace {

double resident_mb() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word == "VmRSS:") {
            double kib = 0;
            status >> kib;
            return kib * 1024 / 1e6;
        }
    }
    return 0;
}

void one_step(taffrail::Profiler& profiler, int step) {
    using taffrail::ProfiledAction;
    profiler.step(step);
    {
        const ProfiledAction fetch(&profiler, "get_train_batch");
    }
    const ProfiledAction batch(&profiler, "run_training_batch");
    const ProfiledAction optimizer(&profiler, "optimizer_step_and_closure_0");
    const ProfiledAction closure(&profiler, "training_step_and_backward");
    {
        const ProfiledAction forward(&profiler, "model_forward");
        const ProfiledAction own(&profiler, "[Module]Net.training_step");
        TAFFRAIL_ZONE("attention");
    }
    const ProfiledAction backward(&profiler, "model_backward");
}

}  // namespace

int main() {
    taffrail::print_zones_at_exit(taffrail::ZoneReport::None);
    const auto profiler = *taffrail::make_profiler("simple");
    constexpr int kSteps = 24 * 60 * 60 * 10;
    for (int step = 0; step < 100; ++step) {
        one_step(*profiler, step);
    }
    const double before = resident_mb();
    for (int step = 100; step < kSteps; ++step) {
        one_step(*profiler, step);
    }
    const double grown = resident_mb() - before;
    if (profiler->summary().find(std::to_string(kSteps)) == std::string::npos) {
        std::fprintf(stderr, "the report does not have all %d steps\n", kSteps);
        return 1;
    }
    std::printf(
        "{\"id\": \"simple.day_rss_mb\", \"value\": %.3f, \"unit\": \"MB\", \"steps\": %d}\n",
        grown, kSteps);
    return 0;
}
