// Seals a sample run for readers that nobody here wrote: seal_sample FOLDER. tests/interop/parquet
// reads its files.
#include "codec/value_codec.h"
#include "seal/log_maker.h"
#include "seal/seal.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
    using namespace taffrail;
    if (argc != 2) {
        std::fputs("usage: seal_sample FOLDER\n", stderr);
        return 2;
    }
    const std::string folder = argv[1];
    io::make_directories(folder + "/live").value();
    // Values that Python can say again: a counter over 1024, NaN every 100th step.
    const auto value_of = [](std::size_t column, std::int64_t step) {
        return step % 100 == 7
                   ? std::nan("")
                   : static_cast<double>(step % 1024 + static_cast<std::int64_t>(column)) / 1024;
    };
    seal::testing::LogMaker log({.run_id = "sample", .writer = 0xFEDCBA9876543210, .rank = 3});
    for (int i = 0; i < 20; ++i) {
        log.wide({"train/loss", "train/acc", "epoch"}, 10'000, value_of);
        log.lone({"lr", "val/loss"}, 10, value_of);
        log.value("weights", Kind::Histogram,
                  encode_value(Histogram::from_values(std::vector<double>{0, 1, 2, 3}, 4)));
        log.value("diary", Kind::Text, encode_value(Text{"entry " + std::to_string(i), true}));
    }
    log.end();
    log.save(folder + "/live/a.tlog");
    const auto report = seal::seal_run(folder, std::vector{folder + "/live/a.tlog"});
    if (!report.ok()) {
        std::fprintf(stderr, "%s\n", report.error().message.c_str());
        return 1;
    }
    for (const seal::SealedFileInfo& file : report->files) {
        std::printf("%s\n", file.name.c_str());
    }
    return 0;
}
