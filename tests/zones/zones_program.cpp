// A program that has zones and calls nothing else of the library. Its one word says how it ends.
#include <taffrail/zone.h>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace {

void inner() {
    TAFFRAIL_ZONE("inner");
    std::this_thread::sleep_for(std::chrono::microseconds(300));
}

void middle() {
    TAFFRAIL_ZONE("middle");
    inner();
}

void outer() {
    TAFFRAIL_ZONE("outer");
    middle();
}

}  // namespace

int main(int count, char** words) {
    const std::string_view how = count > 1 ? words[1] : "return";
    for (int turn = 0; turn < 1000; ++turn) {
        outer();
    }
    if (how == "exit") {
        std::exit(3);
    } else if (how == "throw") {
        TAFFRAIL_ZONE("throwing");
        throw std::runtime_error("on purpose");
    } else if (how == "wait") {
        TAFFRAIL_ZONE("waiting");
        std::puts("ready");
        std::fflush(stdout);
        for (;;) {
            ::pause();
        }
    }
    return 0;
}
