#include "sqlite/database.h"

#include "test_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>

namespace taffrail::sqlite {
namespace {

TEST(Database, KeepsWhatItIsGiven) {
    const test::TestFolder folder;
    {
        auto database = Database::open(folder / "a?b#c%20.db", Mode::Create);
        ASSERT_TRUE(database.ok()) << database.error().message;
        ASSERT_TRUE(database->run("CREATE TABLE t(a, b, c, d); CREATE VIEW v AS SELECT 1;").ok());
        auto insert = database->prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4)");
        ASSERT_TRUE(insert.ok());
        const Bytes blob(3, std::byte{7});
        insert->bind(1, std::int64_t{1} << 62).bind(2, 0.5).bind(3, "").bind(4, ByteSpan(blob));
        ASSERT_TRUE(insert->run().ok());
        insert->bind(1, std::int64_t{-1}).bind_null(2).bind(3, "ä").bind(4, ByteSpan());
        ASSERT_TRUE(insert->run().ok());
        EXPECT_EQ(database->last_row(), 2);
    }
    auto database = Database::open(folder / "a?b#c%20.db", Mode::Read);
    ASSERT_TRUE(database.ok()) << database.error().message;
    auto rows = database->prepare("SELECT a, b, c, d FROM t ORDER BY rowid");
    ASSERT_TRUE(rows.ok());
    ASSERT_TRUE(rows->step().value());
    EXPECT_EQ(rows->whole(0), std::int64_t{1} << 62);
    EXPECT_EQ(rows->number(1), 0.5);
    EXPECT_EQ(rows->type(2), Type::Text);
    EXPECT_EQ(rows->blob(3).size(), 3u);
    ASSERT_TRUE(rows->step().value());
    EXPECT_EQ(rows->type(1), Type::Null);
    EXPECT_EQ(rows->text(2), "ä");
    EXPECT_FALSE(rows->step().value());
    EXPECT_TRUE(database->has_table("t"));
    EXPECT_FALSE(database->has_table("v"));
    EXPECT_EQ(database->columns("t"), (std::vector<std::string>{"a", "b", "c", "d"}));
    EXPECT_FALSE(database->run("INSERT INTO t VALUES (1, 2, 3, 4)").ok());
}

TEST(Database, AtRestIsReadWithoutATrace) {
    const test::TestFolder folder;
    const std::string path = folder / "a.db";
    ASSERT_TRUE(Database::open(path, Mode::Create)
                    ->run("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES (7)")
                    .ok());
    ASSERT_FALSE(std::filesystem::exists(path + "-wal"));
    std::filesystem::last_write_time(
        path, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(5));
    EXPECT_TRUE(Database::open(path, Mode::Read)->has_table("t"));
    EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
    EXPECT_FALSE(std::filesystem::exists(path + "-shm"));
    auto writer = Database::open(path, Mode::Write);
    ASSERT_TRUE(writer->run("INSERT INTO t VALUES (8)").ok());
    const auto reader = Database::open(path, Mode::Read);  // what is in the log alone is there too
    auto rows = reader->prepare("SELECT sum(a) FROM t");
    ASSERT_TRUE(rows->step().value());
    EXPECT_EQ(rows->whole(0), 15);
}

TEST(Database, SaysWhatIsWrongWithAFile) {
    const test::TestFolder folder;
    EXPECT_EQ(Database::open(folder / "none.db", Mode::Read).error().code, ErrorCode::NotFound);
    folder.write("text.db", std::string(5000, 'x'));
    EXPECT_EQ(Database::open(folder / "text.db", Mode::Read).error().code, ErrorCode::Corrupt);
    auto made = Database::open(folder / "new.db", Mode::Create);
    ASSERT_TRUE(made.ok());
    EXPECT_FALSE(made->prepare("SELECT nothing FROM nowhere").ok());
    EXPECT_FALSE(made->run("CREATE TABLE t(a); nonsense").ok());
}

TEST(Database, IsNotOpenedBesideAJournalThatIsNoFile) {
    const test::TestFolder folder;
    const std::string path = folder / "a.db";
    ASSERT_TRUE(Database::open(path, Mode::Create)->run("CREATE TABLE t(a)").ok());
    for (const std::string suffix : {"-journal", "-wal"}) {
        // SQLite would wait for whoever writes into it.
        ASSERT_EQ(::mkfifo((path + suffix).c_str(), 0600), 0);
        const auto piped = Database::open(path, Mode::Read);
        ASSERT_FALSE(piped.ok());
        EXPECT_NE(piped.error().message.find(suffix), std::string::npos);
        std::filesystem::remove(path + suffix);
        std::filesystem::create_symlink("/dev/zero", path + suffix);
        EXPECT_FALSE(Database::open(path, Mode::Read).ok());
        std::filesystem::remove(path + suffix);
    }
    EXPECT_TRUE(Database::open(path, Mode::Read).ok());
}

TEST(Database, ReadsWhileAnotherWrites) {
    const test::TestFolder folder;
    auto writer = Database::open(folder / "live.db", Mode::Create);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(
        writer->run("PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1)").ok());
    auto reader = Database::open(folder / "live.db", Mode::Read);
    ASSERT_TRUE(reader.ok()) << reader.error().message;
    ASSERT_TRUE(writer->run("BEGIN; INSERT INTO t VALUES (2)").ok());
    auto count = reader->prepare("SELECT count(*) FROM t");
    ASSERT_TRUE(count.ok());
    ASSERT_TRUE(count->step().value());
    EXPECT_EQ(count->whole(0), 1);
}

}  // namespace
}  // namespace taffrail::sqlite
