#include "io/files.h"

#include "io/fault.h"
#include "io/replace_file.h"
#include "io/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace taffrail::io {
namespace {

// The same promises on every file system.
class EveryFileSystem : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        root_ = GetParam() == "memory" ? "memory://files-test"
                                       : GetParam() + "://" + folder_.path() + "/root";
        (void)remove_tree(root_);
        ASSERT_TRUE(make_directories(root_).ok());
    }

    std::string at(std::string_view name) { return join(root_, name); }

    test::TemporaryFolder folder_;
    std::string root_;
};

INSTANTIATE_TEST_SUITE_P(Schemes, EveryFileSystem, testing::Values("file", "memory", "fault"));

TEST_P(EveryFileSystem, GivesBackWhatWasAppended) {
    auto file = open(at("a"), OpenMode::CreateExclusive).value();
    const std::string first = "first ", second = "second";
    const ByteSpan parts[] = {as_bytes(first), as_bytes(second)};
    ASSERT_TRUE(file->append(parts).ok());
    ASSERT_TRUE(file->append(as_bytes("!")).ok());
    EXPECT_EQ(file->end(), 13u);
    EXPECT_EQ(read_text(at("a")).value(), "first second!");
    std::byte part[4];
    EXPECT_EQ(file->read_at(11, part).value(), 2u);
    EXPECT_EQ(file->read_at(100, part).value(), 0u);
    EXPECT_EQ(file->info().value().size, 13u);
}

TEST_P(EveryFileSystem, RefusesToCreateTwiceAndToOpenWhatIsNotThere) {
    ASSERT_TRUE(open(at("a"), OpenMode::CreateExclusive).ok());
    EXPECT_EQ(open(at("a"), OpenMode::CreateExclusive).error().code, ErrorCode::AlreadyExists);
    const Error missing = open(at("b"), OpenMode::Read).error();
    EXPECT_EQ(missing.code, ErrorCode::NotFound);
    EXPECT_NE(missing.message.find("/b"), std::string::npos) << missing.message;
    EXPECT_EQ(open(at("no/folder"), OpenMode::CreateOrOpen).error().code, ErrorCode::NotFound);
}

TEST_P(EveryFileSystem, ReplacesAFileInOneStepAndLeavesNoTemporary) {
    ASSERT_TRUE(write_file_atomically(at("a"), as_bytes("old")).ok());
    ASSERT_TRUE(write_file_atomically(at("a"), as_bytes("new")).ok());
    EXPECT_EQ(read_text(at("a")).value(), "new");
    ASSERT_TRUE(replace_file(at("a"), as_bytes("newest")).ok());
    EXPECT_EQ(read_text(at("a")).value(), "newest");
    EXPECT_EQ(list(root_).value().size(), 1u);
    EXPECT_FALSE(replace_file(at("none/a"), as_bytes("lost")).ok());
}

// What a power cut may leave: the content is on the disk before it gets the name, so that the name
// never stands for a part of it.
TEST(Files, ThatAreReplacedAreOnTheDiskBeforeTheyHaveTheirName) {
    const test::TemporaryFolder folder;
    FaultCalls::instance()->start_trace();
    ASSERT_TRUE(replace_file("fault://" + folder.path() + "/a", as_bytes("text")).ok());
    std::vector<Operation> done;
    for (const TraceEntry& entry : FaultCalls::instance()->stop_trace()) {
        if (entry.operation == Operation::Write || entry.operation == Operation::Sync ||
            entry.operation == Operation::SyncFolder || entry.operation == Operation::Rename) {
            done.push_back(entry.operation);
        }
    }
    EXPECT_EQ(done, (std::vector{Operation::Write, Operation::Sync, Operation::Rename}));
}

TEST_P(EveryFileSystem, GivesANewNameToOneOnly) {
    ASSERT_TRUE(write_new_file_atomically(at("a"), as_bytes("first")).ok());
    EXPECT_EQ(write_new_file_atomically(at("a"), as_bytes("second")).error().code,
              ErrorCode::AlreadyExists);
    EXPECT_EQ(read_text(at("a")).value(), "first");
    EXPECT_EQ(list(root_).value().size(), 1u);
    ASSERT_TRUE(write_file_atomically(at("b"), as_bytes("third")).ok());
    EXPECT_EQ(rename_new(at("b"), at("a")).error().code, ErrorCode::AlreadyExists);
    EXPECT_EQ(read_text(at("b")).value(), "third") << "stays where it was";
    EXPECT_EQ(rename_new(at("c"), at("d")).error().code, ErrorCode::NotFound);
}

TEST_P(EveryFileSystem, ListsSortedAndRemovesTrees) {
    ASSERT_TRUE(make_directories(at("z/y")).ok());
    ASSERT_TRUE(write_file_atomically(at("b"), as_bytes("1")).ok());
    ASSERT_TRUE(write_file_atomically(at("z/y/x"), as_bytes("1")).ok());
    const auto entries = list(root_).value();
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0].name, "b");
    EXPECT_EQ(entries[1].name, "z");
    EXPECT_EQ(entries[1].type, EntryType::Directory);
    EXPECT_FALSE(remove(at("z")).ok());
    ASSERT_TRUE(remove_tree(at("z")).ok());
    EXPECT_FALSE(exists(at("z")));
    EXPECT_TRUE(remove_tree(at("z")).ok());
}

TEST_P(EveryFileSystem, TruncateMovesTheEndOfAppends) {
    auto file = open(at("a"), OpenMode::CreateOrOpen).value();
    ASSERT_TRUE(file->append(as_bytes("abcdef")).ok());
    ASSERT_TRUE(file->truncate(2).ok());
    ASSERT_TRUE(file->append(as_bytes("X")).ok());
    EXPECT_EQ(read_text(at("a")).value(), "abX");
}

TEST(Files, UnknownSchemeNamesTheKnownOnes) {
    const Error error = open("gopher://x", OpenMode::Read).error();
    EXPECT_EQ(error.code, ErrorCode::Unsupported);
    EXPECT_NE(error.message.find("memory"), std::string::npos) << error.message;
}

TEST(Files, PathsWithAColonAreLocal) {
    test::TemporaryFolder folder;
    ASSERT_TRUE(write_file_atomically(folder.file("a:b"), as_bytes("1")).ok());
    EXPECT_TRUE(exists(folder.file("a:b")));
}

TEST(Files, ReadsFilesThatSayTheyAreEmpty) {
    EXPECT_FALSE(read_text("/proc/self/stat").value().empty());
}

// The lock of a living process is seen by others, not passed on to its children, and gone with its
// owner.
TEST(Locks, BelongToTheProcessThatTookThem) {
    test::TemporaryFolder folder;
    const std::string path = folder.file("ring");
    auto file = open(path, OpenMode::CreateExclusive).value();
    ASSERT_TRUE(file->try_lock().value());
    EXPECT_TRUE(is_locked(path).value());
    EXPECT_TRUE(is_locked(path).value()) << "looking must not drop it";
    const pid_t child = fork();
    if (child == 0) {
        const bool seen = is_locked(path).value();
        auto mine = open(path, OpenMode::ReadWrite).value();
        const bool refused = !mine->try_lock().value();
        mine.reset();
        file.reset();  // the inherited descriptor
        _exit(seen && refused ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    const pid_t observer = fork();
    if (observer == 0) {
        _exit(is_locked(path).value() ? 0 : 1);
    }
    ASSERT_EQ(waitpid(observer, &status, 0), observer);
    EXPECT_EQ(status, 0) << "the child's close must not free the parent's lock";
    file.reset();
    EXPECT_FALSE(is_locked(path).value());
}

TEST(Mappings, AreSharedWithTheFile) {
    test::TemporaryFolder folder;
    auto file = open(folder.file("m"), OpenMode::CreateExclusive).value();
    ASSERT_TRUE(file->allocate(8192).ok());
    auto mapping = file->map(8192, MapAccess::ReadWrite).value();
    mapping.data()[4096] = std::byte{42};
    std::byte seen{};
    ASSERT_EQ(file->read_at(4096, {&seen, 1}).value(), 1u);
    EXPECT_EQ(seen, std::byte{42});
}

}  // namespace
}  // namespace taffrail::io
