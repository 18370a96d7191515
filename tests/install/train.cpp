// The smallest program that records a run and reads it back.
#include <taffrail/taffrail.h>

#include <cmath>
#include <cstdio>

int main(int, char** arguments) {
    taffrail::Run run =
        taffrail::init({.project = "install", .name = "tiny", .root = arguments[1]});
    auto loss = run.scalar("loss");
    for (taffrail::Step step = 0; step < 100; ++step) {
        loss.log(std::exp(-0.05 * static_cast<double>(step)), step);
    }
    if (!run.finish().ok()) {
        return 1;
    }
    auto catalogue = taffrail::read(arguments[1]);
    if (!catalogue.ok()) {
        std::printf("%s\n", catalogue.error().message.c_str());
        return 1;
    }
    const auto points = (*catalogue)->run("tiny").value()->points("loss").value();
    std::printf("%zu points\n", points.size());
    return points.size() == 100 ? 0 : 1;
}
