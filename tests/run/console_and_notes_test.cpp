// What a run keeps of the console, and the notes people write while it goes on.
#include <taffrail/run.h>

#include "io/temporary_folder.h"
#include "store/run_reader.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace taffrail {
namespace {

RunOptions quiet_options(const test::TemporaryFolder& folder) {
    RunOptions options;
    options.root = folder.file("store");
    options.environment = false;
    options.machine_load.reset();
    return options;
}

TEST(CapturedConsole, FindingR14_AProgressBarLeavesItsLastState) {
    const test::TemporaryFolder folder;
    RunOptions options = quiet_options(folder);
    options.console = true;
    taffrail::Run run = taffrail::Run::open(options).value();
    for (int percent = 0; percent <= 100; ++percent) {
        std::fprintf(stderr, "\r%3d%%|##########| training", percent);
        std::fflush(stderr);
    }
    std::fputs("\nbetween\n", stderr);
    std::fputs("10%\r20%", stdout);
    std::fflush(stdout);
    ASSERT_TRUE(run.finish().ok());
    std::string errors, output;
    for (const ConsoleLine& line : store::RunReader::open(run.folder()).value()->console(0, 1000)) {
        (line.is_error ? errors : output) += std::string(line.text) + "\n";
    }
    EXPECT_EQ(errors, "100%|##########| training\nbetween\n");
    EXPECT_EQ(output, "20%\n") << "the unfinished last line is there too";
}

TEST(Notes, FindingR15_NotesWrittenByTheProgramAreThoseOfTheRun) {
    const test::TemporaryFolder folder;
    RunOptions options = quiet_options(folder);
    options.notes = "larger decoder";
    options.id = "noted";
    {
        taffrail::Run run = taffrail::Run::open(options).value();
        run.note("diverged at 300");
        run.note("restarted");
        ASSERT_TRUE(run.finish().ok());
        EXPECT_EQ(store::RunReader::open(run.folder()).value()->info().notes,
                  "larger decoder\ndiverged at 300\nrestarted");
    }
    options.notes.clear();
    options.resume = Resume::Must;
    taffrail::Run again = taffrail::Run::open(options).value();
    again.note("third day");
    ASSERT_TRUE(again.finish().ok());
    EXPECT_EQ(store::RunReader::open(again.folder()).value()->info().notes,
              "larger decoder\ndiverged at 300\nrestarted\nthird day")
        << "a resumed run adds to what is there";
}

}  // namespace
}  // namespace taffrail
