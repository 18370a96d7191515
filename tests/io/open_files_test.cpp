#include "io/open_files.h"

#include "io/files.h"
#include "io/system_error.h"
#include "io/temporary_folder.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace taffrail::io {
namespace {

class OpenFiles : public testing::Test {
  protected:
    OpenFiles() { getrlimit(RLIMIT_NOFILE, &before_); }

    ~OpenFiles() override { setrlimit(RLIMIT_NOFILE, &before_); }

    static std::size_t descriptors() {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& each :
             std::filesystem::directory_iterator("/proc/self/fd")) {
            ++count;
        }
        return count;
    }

    std::unique_ptr<File> make(const std::string& name) {
        const std::string path = folder_.file(name);
        EXPECT_TRUE(write_file_atomically(path, as_bytes("content of " + name), false).ok());
        const auto open_it = [path] { return open(path, OpenMode::Read); };
        return pooled(open_it().value(), open_it);
    }

    static std::string content(File& file) {
        std::string text(100, '\0');
        const auto got = file.read_at(0, std::as_writable_bytes(std::span(text)));
        return got.ok() ? text.substr(0, *got) : "error: " + got.error().message;
    }

    rlimit before_{};
    test::TemporaryFolder folder_;
};

TEST_F(OpenFiles, FindingG07_ManyFilesShareFewDescriptors) {
    rlimit few = before_;
    few.rlim_cur = 256;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    const std::size_t at_first = descriptors();
    std::vector<std::unique_ptr<File>> files;
    for (int i = 0; i < 600; ++i) {
        files.push_back(make("f" + std::to_string(i)));
    }
    EXPECT_EQ(pooled_limit(), 64u);
    EXPECT_LE(descriptors(), at_first + pooled_limit());
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 600; ++i) {
            ASSERT_EQ(content(*files[static_cast<std::size_t>(i)]),
                      "content of f" + std::to_string(i));
        }
    }
    EXPECT_LE(descriptors(), at_first + pooled_limit());
    files.clear();
    EXPECT_EQ(descriptors(), at_first) << "what is not there any more holds nothing";
}

TEST_F(OpenFiles, FindingG07_AReplacedFileIsNotMistakenForTheFirst) {
    rlimit few = before_;
    few.rlim_cur = 256;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    const auto file = make("x");
    ASSERT_TRUE(write_file_atomically(folder_.file("x"), as_bytes("another"), false).ok());
    EXPECT_EQ(content(*file), "content of x") << "open still";
    std::vector<std::unique_ptr<File>> others;
    for (int i = 0; i < 100; ++i) {
        others.push_back(make("f" + std::to_string(i)));
    }
    EXPECT_NE(content(*file).find("was replaced"), std::string::npos) << content(*file);
}

TEST_F(OpenFiles, FindingG07_TheLimitIsRaisedAndNamed) {
    rlimit few = before_;
    few.rlim_cur = 64;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
    const Error error = system_error("open", "/x", EMFILE);
    EXPECT_NE(error.message.find("64 files"), std::string::npos) << error.message;
    raise_open_file_limit();
    rlimit now{};
    getrlimit(RLIMIT_NOFILE, &now);
    EXPECT_EQ(now.rlim_cur, before_.rlim_max);
}

}  // namespace
}  // namespace taffrail::io
