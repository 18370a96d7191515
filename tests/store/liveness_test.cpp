// Whether the process that writes a log is still there, as its key file tells.
#include "store/liveness.h"

#include "base/clock.h"
#include "io/files.h"
#include "io/temporary_folder.h"
#include "record/definitions.h"
#include "record/identity.h"

#include <gtest/gtest.h>

namespace taffrail::store {
namespace {

struct Liveness : testing::Test {
    Liveness() : here(record::make_identity("run")) {
        identity.run_id = here.run_id;
        identity.writer = here.writer;
        identity.process_id = here.process_id;
        identity.process_start = here.process_start;
        identity.boot_id = here.boot_id;
        EXPECT_TRUE(io::make_directories(folder.file("ring")).ok());
    }

    bool alive() const { return writer_is_alive(folder.file(""), identity, wall_time_ns()); }

    test::TemporaryFolder folder;
    record::WriterIdentity here;
    tlog::FileIdentity identity;
};

TEST_F(Liveness, AnEmptyKeyFileIsBeingMadeAndTheProcessDecides) {
    const std::string keys = record::definitions_path(folder.file("ring"), identity.writer);
    ASSERT_TRUE(io::write_file_atomically(keys, {}, false).ok());
    EXPECT_TRUE(alive());
    identity.process_start += 1;  // another process has that number now
    EXPECT_FALSE(alive());
}

TEST_F(Liveness, AKeyFileThatNobodyLocksIsLeftOver) {
    {
        const auto held = record::DefinitionsFile::create(folder.file("ring"), here).value();
        EXPECT_TRUE(alive());
    }
    EXPECT_FALSE(alive()) << "though this process lives";
}

}  // namespace
}  // namespace taffrail::store
