// Rows into the terminal table, for looking at in a real terminal: table_program ROWS MILLISECONDS
// [max_log_size] [print]
#include "record_builder.h"
#include "sinks/terminal/sink.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

int main(int count, char** words) {
    const int rows = count > 1 ? std::atoi(words[1]) : 50;
    const auto pause = std::chrono::milliseconds(count > 2 ? std::atoi(words[2]) : 20);
    const bool print = count > 4 && std::string_view(words[4]) == "print";
    auto sink = taffrail::sinks::terminal::make_terminal_sink(
                    {{"stats_to_track", "[ITER_TRAIN_TIME, TRAIN_RAYS_PER_SEC, CURR_TEST_PSNR]"},
                     {"max_log_size", count > 3 ? words[3] : "10"},
                     {"max_iter", std::to_string(rows)}})
                    .value();
    sink->open({}).value();
    for (int i = 0; i < rows; ++i) {
        taffrail::test::Records records;
        records.row(
            i, {{"Train Iter (time)", 0.0345 * (i + 1)}, {"Train Rays / Sec", 1638.4 * (i + 1)}});
        if (i % 5 == 0) {
            records.row(i, {{"Test PSNR", 20.0 + i}});
        }
        std::size_t delivered = 0;
        sink->write(records.all(), delivered).value();
        if (print && i % 10 == 3) {
            std::printf("note %d\n", i);
        }
        std::this_thread::sleep_for(pause);
    }
    sink->close(taffrail::RunState::Finished).value();
    return 0;
}
