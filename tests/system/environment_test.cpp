#include "system/environment.h"

#include "io/files.h"
#include "system/subprocess.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

namespace taffrail::system {
namespace {

using testing::HasSubstr;
using testing::Not;

std::map<std::string, std::string> as_text_map(const Hparams& fields) {
    std::map<std::string, std::string> map;
    for (const auto& [name, cell] : fields) {
        if (const auto* text = std::get_if<std::string>(&cell)) {
            map[name] = *text;
        } else if (const auto* truth = std::get_if<bool>(&cell)) {
            map[name] = *truth ? "true" : "false";
        } else {
            map[name] = "number";
        }
    }
    return map;
}

class GitFolder {
  public:
    GitFolder() {
        std::string pattern = testing::TempDir() + "taffrail-git-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        git({"init", "-q"});
        git({"config", "user.email", "t@example.org"});
        git({"config", "user.name", "t"});
        put("model.py", "x = 1\n");
        git({"add", "."});
        git({"commit", "-q", "-m", "first"});
    }

    ~GitFolder() { (void)io::remove_tree(folder_); }

    void git(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"git", "-C", folder_});
        ASSERT_TRUE(output_of(arguments, std::chrono::seconds(20), 10000)) << arguments[3];
    }

    void put(const std::string& name, std::string_view text) const {
        io::write_file_atomically(io::join(folder_, name), as_bytes(text), false).value();
    }

    [[nodiscard]] const std::string& folder() const { return folder_; }

  private:
    std::string folder_;
};

TEST(Environment, RecordsCommitBranchRemoteAndDirtyDiffWithoutSecrets) {
    const GitFolder repository;
    const std::string secret = std::string("gh") + "p_16C7e42F292c6912E7710c838347Ae178B4a";
    repository.git({"remote", "add", "origin", "https://bob:" + secret + "@example.org/a/b.git"});
    repository.put("model.py", "x = 2\nnote = '" + secret + "'\n");
    const auto fields = as_text_map(
        take_environment_snapshot({.arguments = {"train"}, .folder = repository.folder()}));
    EXPECT_EQ(fields.at("git/commit").size(), 40u);
    EXPECT_EQ(fields.at("git/dirty"), "true");
    EXPECT_EQ(fields.at("git/remote"), "https://[removed]@example.org/a/b.git");
    EXPECT_THAT(fields.at("git/diff"), HasSubstr("+x = 2"));
    for (const auto& [name, text] : fields) {
        EXPECT_THAT(text, Not(HasSubstr(secret))) << name;
    }
}

TEST(Environment, CleanRepositoriesHaveNoDiffAndNoRepositoryNoGitFields) {
    const GitFolder repository;
    auto fields = as_text_map(
        take_environment_snapshot({.arguments = {"train"}, .folder = repository.folder()}));
    EXPECT_EQ(fields.at("git/dirty"), "false");
    EXPECT_FALSE(fields.contains("git/diff"));
    fields = as_text_map(take_environment_snapshot({.arguments = {"train"}, .folder = "/proc"}));
    EXPECT_FALSE(fields.contains("git/commit"));
}

// A stranger's repository: whatever it names for git to run, the snapshot runs none of it, and
// still says what changed.
TEST(Environment, FindingS14_NothingThatARepositoryNamesIsRun) {
    const GitFolder repository;
    const std::string mark = repository.folder() + "/ran-";
    const auto runs = [&](const std::string& name, const std::string& what) {
        repository.git({"config", name, "touch '" + mark + what + "'; cat"});
    };
    for (const char* filter : {"a", "Two Words", "x.y"}) {
        const std::string section = std::string("filter.") + filter;
        runs(section + ".clean", "clean");
        runs(section + ".smudge", "smudge");
        repository.git({"config", section + ".required", "true"});
    }
    runs("filter.p.process", "process");
    runs("diff.a.textconv", "textconv");
    runs("diff.a.command", "command");
    runs("diff.external", "external");
    runs("core.fsmonitor", "fsmonitor");
    runs("core.pager", "pager");
    runs("core.sshCommand", "ssh");
    repository.put(".gitattributes", "model.py filter=a diff=a\nother filter=p\n");
    repository.put(".git/info/attributes", "model.py filter=a\n");
    // As long as before, so that git has to look inside, and older than the index.
    repository.put("model.py", "x = 9\n");
    io::set_modified(io::join(repository.folder(), "model.py"), 1'000'000'000).value();
    const auto fields = as_text_map(
        take_environment_snapshot({.arguments = {"train"}, .folder = repository.folder()}));
    EXPECT_EQ(fields.at("git/dirty"), "true");
    EXPECT_THAT(fields.at("git/diff"), HasSubstr("+x = 9"));
    for (const io::DirectoryEntry& entry : io::list(repository.folder()).value()) {
        EXPECT_FALSE(entry.name.starts_with("ran-")) << entry.name;
    }
}

// A name that cannot be turned off: then the work tree is not looked at.
TEST(Environment, FindingS14_AFilterThatCannotBeTurnedOffIsNotMet) {
    const GitFolder repository;
    repository.git({"config", "filter.a=b.clean", "touch '" + repository.folder() + "/ran'; cat"});
    repository.put(".git/info/attributes", "model.py filter=a=b\n");
    repository.put("model.py", "x = 9\n");
    io::set_modified(io::join(repository.folder(), "model.py"), 1'000'000'000).value();
    const auto fields = as_text_map(
        take_environment_snapshot({.arguments = {"train"}, .folder = repository.folder()}));
    EXPECT_EQ(fields.at("git/commit").size(), 40u);
    EXPECT_FALSE(fields.contains("git/dirty"));
    EXPECT_FALSE(io::exists(io::join(repository.folder(), "ran")));
}

TEST(Environment, LongDiffsAreCutAndSaySo) {
    const GitFolder repository;
    repository.put("model.py", std::string(100000, '\n'));
    const auto fields = as_text_map(take_environment_snapshot(
        {.arguments = {"t"}, .folder = repository.folder(), .diff_limit_bytes = 1000}));
    EXPECT_LT(fields.at("git/diff").size(), 1100u);
    EXPECT_THAT(fields.at("git/diff"), HasSubstr("cut here"));
}

TEST(Environment, KeepsListedVariablesOnly) {
    setenv("OMP_NUM_THREADS", "3", 1);
    setenv("TAFFRAIL_API_KEY", "abcdef", 1);
    setenv("FAVOURITE_COLOUR", "blue", 1);
    const auto fields = as_text_map(take_environment_snapshot({.arguments = {"t"}, .git = false}));
    EXPECT_EQ(fields.at("variable/OMP_NUM_THREADS"), "3");
    EXPECT_FALSE(fields.contains("variable/FAVOURITE_COLOUR"));
    EXPECT_FALSE(fields.contains("variable/TAFFRAIL_API_KEY"));
    unsetenv("TAFFRAIL_API_KEY");
}

TEST(Environment, DescribesCommandAndMachine) {
    const auto fields = as_text_map(take_environment_snapshot(
        {.arguments = {"train", "--name", "my run", "--token", "tiger lily"}, .git = false}));
    EXPECT_EQ(fields.at("command/line"), "train --name 'my run' --token [removed]");
    EXPECT_FALSE(fields.at("host/name").empty());
    EXPECT_THAT(fields.at("host/kernel"), HasSubstr("Linux"));
    EXPECT_TRUE(fields.contains("cpu/threads"));
    EXPECT_TRUE(fields.contains("memory/bytes"));
    EXPECT_TRUE(fields.contains("library/libc.so.6"));
    EXPECT_THAT(as_text_map(take_environment_snapshot({.git = false})).at("command/line"),
                HasSubstr("system_test"));
}

TEST(Subprocess, SlowAndFailingProgramsGiveNothing) {
    EXPECT_EQ(output_of({"echo", "hi"}, std::chrono::seconds(10), 100), "hi\n");
    EXPECT_FALSE(output_of({"false"}, std::chrono::seconds(10), 100));
    EXPECT_FALSE(output_of({"no-such-program-at-all"}, std::chrono::seconds(10), 100));
    EXPECT_FALSE(output_of({"sleep", "30"}, std::chrono::milliseconds(50), 100));
    EXPECT_EQ(output_of({"yes"}, std::chrono::seconds(10), 100)->size(), 100u);
}

}  // namespace
}  // namespace taffrail::system
