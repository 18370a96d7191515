// Commands on real files, where they once did too much, too little, or said nothing of it.
#include "cli/store_commands.h"
#include "cli/text_format.h"
#include "places.h"
#include "seal/sealed_file.h"
#include "store/layout.h"
#include "store/meta_edit.h"
#include "store/open_log.h"
#include "store/sealing.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

namespace taffrail::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Findings : public StoreCommands {
  protected:
    std::string id_of(const std::string& name) const {
        return listed(root_).at(name).string_or("id", "");
    }

    std::string folder_of(const std::string& name) const {
        return listed(root_).at(name).string_or("location", "");
    }

    /// Sealed, and the logs gone.
    void seal_and_drop() const {
        ASSERT_EQ(run({"seal", "--all", "--root", root_}).code, 0);
        for (const auto& [name, run] : listed(root_)) {
            store::drop_sealed_logs(run.string_or("location", ""), std::chrono::nanoseconds(0))
                .value();
        }
    }

    /// A run whose writer is this process and goes on.
    std::string begin_live_run(std::unique_ptr<record::LogWriter>& log) const {
        const std::string folder = store::make_run_folder(root_, "01LIVE", "busy").value();
        tlog::FileIdentity identity;
        identity.run_id = "01LIVE";
        identity.writer = 77;
        identity.start_time_ns = kNow;
        log = store::open_log(folder, identity).value();
        return folder;
    }
};

TEST_F(Findings, FindingR03_AFlippedByteOfTheStepPageIsNamedAndTheRestExported) {
    const std::string name = names()[0];
    const std::string whole = run({"export", name, "--root", root_, "--format", "csv"}).out;
    seal_and_drop();
    std::string damaged;
    for (const auto& entry : io::list(folder_of(name) + "/data").value()) {
        if (!entry.name.starts_with("wide-") && !entry.name.starts_with("long-")) {
            continue;
        }
        const std::string path = folder_of(name) + "/data/" + entry.name;
        const auto page = seal::SealedFile::open(path).value()->index().pages[0][0];
        Bytes bytes = io::read_file(path).value();
        bytes[page.offset + page.bytes - 1] ^= std::byte{1};
        io::write_file_atomically(path, bytes, false).value();
        damaged = path;
        break;
    }
    ASSERT_NE(damaged, "");
    for (const char* format : {"csv", "jsonl", "parquet"}) {
        const Outcome outcome = run({"export", name, "--root", root_, "--format", format});
        EXPECT_EQ(outcome.code, 1) << format;
        EXPECT_THAT(outcome.errors, AllOf(HasSubstr(damaged + " at byte "), HasSubstr("rows")))
            << format;
        EXPECT_NE(outcome.out, "") << format << ": what can be read is still written";
    }
    const std::string rest = run({"export", name, "--root", root_, "--format", "csv"}).out;
    EXPECT_LT(rest.size(), whole.size());
    const Outcome shown = run({"show", name, "--root", root_});
    EXPECT_EQ(shown.code, 1);
    EXPECT_THAT(shown.out, HasSubstr("1 damaged place;"));
    const Outcome machine = run({"show", name, "--root", root_, "--json"});
    EXPECT_EQ(machine.code, 1);
    EXPECT_EQ(parse_json(machine.out).value().find("damage")->array()->size(), 1u);
}

TEST_F(Findings, FindingR08_JsonLinesAreTheSameBytesBeforeAndAfterSealing) {
    const std::string before = run({"export", "--root", root_}).out;
    ASSERT_EQ(run({"seal", "--all", "--root", root_}).code, 0);
    EXPECT_EQ(run({"export", "--root", root_}).out, before);
    seal_and_drop();
    EXPECT_EQ(run({"export", "--root", root_}).out, before);
}

TEST_F(Findings, FindingO03_MinusZeroStaysAFloatingNumber) {
    auto catalogue = std::make_shared<FakeCatalogue>();
    catalogue->add("zero")->scalar("loss", {-0.0, 0.0});
    const std::string lines = run_line({"export", "zero"}, catalogue).out;
    EXPECT_THAT(lines, AllOf(HasSubstr("\"value\":-0.0}"), HasSubstr("\"value\":0}")));
}

TEST_F(Findings, FindingR09_ARunIsNeitherHiddenNorRemovedWhileItIsWritten) {
    std::unique_ptr<record::LogWriter> log;
    const std::string folder = begin_live_run(log);
    const Outcome refused = run({"rm", "busy", "--root", root_, "--yes"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_THAT(refused.errors, HasSubstr("busy is still being written"));
    EXPECT_EQ(names().size(), 4u);
    // Hidden by other means, or before it was resumed: its bytes stay all the same.
    ASSERT_TRUE(store::set_deleted(folder, true).ok());
    const Outcome kept = run({"gc", "--root", root_, "--yes"});
    EXPECT_EQ(kept.code, 1);
    EXPECT_THAT(kept.errors, HasSubstr("busy is still being written and stays"));
    EXPECT_TRUE(io::exists(folder));
    const Json json = parse_json(run({"gc", "--root", root_, "--yes", "--json"}).out).value();
    EXPECT_EQ(json.find("refused")->array()->size(), 1u);
    log->close(RunState::Finished).value();
    log.reset();
    EXPECT_EQ(run({"gc", "--root", root_, "--yes"}).code, 0);
    EXPECT_FALSE(io::exists(folder));
}

TEST_F(Findings, FindingR10_VisibleRunsComeBeforeDeletedOnesOfTheSameName) {
    const std::string copy = io::join(folder_, "copy"), name = names()[0];
    for (const char* how : {"--again", "--again"}) {  // two runs of one name
        ASSERT_EQ(run({"import", folder_of(name), "--root", copy, how}).code, 0);
    }
    const auto id_shown = [&] {
        const Outcome shown = run({"show", name, "--root", copy, "--json"});
        return shown.code == 0 ? parse_json(shown.out).value().find("run")->string_or("id", "")
                               : "";
    };
    const std::string first = id_shown();
    ASSERT_EQ(run({"rm", name, "--root", copy, "--yes"}).code, 0);
    const std::string second = id_shown();
    EXPECT_NE(second, first) << "the one that was just deleted";
    EXPECT_NE(second, "");
    EXPECT_THAT(run({"show", first, "--root", copy}).out, HasSubstr("deleted: "));
    EXPECT_THAT(run({"rm", name, "--root", copy, "--yes"}).out, HasSubstr(second));
    const Outcome gone = run({"show", name, "--root", copy});
    EXPECT_EQ(gone.code, 1);
    EXPECT_THAT(gone.errors, AllOf(HasSubstr("'" + name + "' is deleted"), HasSubstr(first)));
    EXPECT_EQ(run({"restore", name, "--root", copy}).code, 0);
    EXPECT_NE(id_shown(), "");
}

TEST_F(Findings, FindingR11_NamesComeBeforePathsAndFoldersOfManyRunsAreRefused) {
    const std::string name = names()[0];
    for (const char* command : {"rm", "restore", "tag", "note", "seal"}) {
        std::vector<std::string> line{command, root_};
        if (std::string(command) == "rm") {
            line.emplace_back("--dry-run");
        }
        if (std::string(command) == "tag") {
            line.emplace_back("x");
        }
        const Outcome refused = run(line);
        EXPECT_EQ(refused.code, 1) << command;
        EXPECT_THAT(refused.errors, AllOf(HasSubstr("holds 3 runs"), HasSubstr("--all")))
            << command;
        EXPECT_EQ(refused.out, "") << command;
    }
    EXPECT_THAT(run({"rm", root_, "--dry-run", "--all"}).out, HasSubstr("would rm " + name));

    // A folder of the current directory that is called as a run.
    const std::string here = io::join(folder_, "here");
    io::make_directories(io::join(here, name)).value();
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(here);
    const Outcome by_name = run({"show", name, "--root", root_});
    io::make_directories("lonely").value();
    const Outcome folder = run({"show", "lonely", "--root", root_});
    std::filesystem::create_directory_symlink(folder_of(name), "linked");
    const Outcome by_path = run({"show", "./linked"});
    const Outcome by_flag = run({"show", "linked", "--path"});
    std::filesystem::copy(tests::data_folder() + "/aim", "left",
                          std::filesystem::copy_options::recursive);
    const Outcome of_others = run({"show", "left", "--root", root_});
    const Outcome of_others_alone = run({"show", "left"});
    const Outcome changed = run({"rm", "left", "--root", root_});
    std::filesystem::current_path(before);
    EXPECT_EQ(by_name.code, 0) << by_name.errors;
    EXPECT_THAT(by_name.out, HasSubstr(id_of(name)));
    EXPECT_EQ(folder.code, 1);
    EXPECT_THAT(folder.errors, HasSubstr("the folder of that name is ./lonely"));
    EXPECT_THAT(by_path.out, HasSubstr(id_of(name)));
    EXPECT_THAT(by_flag.out, HasSubstr(id_of(name)));
    EXPECT_THAT(of_others.out, HasSubstr("0123456789abcdef01234567")) << of_others.errors;
    EXPECT_EQ(of_others_alone.out, of_others.out) << of_others_alone.errors;
    EXPECT_EQ(changed.code, 1);
    EXPECT_THAT(changed.errors, HasSubstr("never changed"));
}

TEST_F(Findings, FindingR13_CommandsThatChangeRunsTellMachinesWhatTheyDid) {
    const std::string name = names()[0], copy = io::join(folder_, "copy");
    const auto json = [&](std::vector<std::string> line) {
        line.emplace_back("--json");
        const Outcome outcome = run(line);
        EXPECT_EQ(outcome.code, 0) << line[0] << outcome.errors;
        auto parsed = parse_json(outcome.out);
        EXPECT_TRUE(parsed.ok()) << line[0] << ": " << outcome.out;
        return parsed.ok() ? *parsed : Json();
    };
    const auto first = [](const Json& list) { return (*list.array())[0]; };
    const Json tagged = json({"tag", name, "mine", "--root", root_});
    EXPECT_EQ(first(tagged).string_or("name", ""), name);
    EXPECT_FALSE(first(tagged).find("tags")->array()->empty());
    EXPECT_EQ(first(json({"note", name, "hello", "--root", root_})).string_or("notes", ""),
              "hello");
    EXPECT_EQ(first(json({"note", name, "--root", root_})).string_or("notes", ""), "hello");
    EXPECT_EQ(first(json({"seal", name, "--root", root_})).string_or("outcome", ""), "sealed");
    EXPECT_EQ(first(json({"seal", name, "--root", root_})).string_or("outcome", ""), "unchanged");
    EXPECT_EQ(first(json({"rm", name, "--yes", "--root", root_})).string_or("outcome", ""),
              "changed");
    EXPECT_EQ(first(json({"restore", name, "--root", root_})).string_or("outcome", ""), "changed");
    EXPECT_GT(first(json({"import", folder_of(name), "--root", copy})).integer_or("points", 0), 0);
    EXPECT_EQ(first(json({"import", folder_of(name), "--root", copy})).string_or("outcome", ""),
              "unchanged");
    const Json gone = json({"gc", "--dry-run", "--root", root_});
    EXPECT_NE(gone.find("sealed_logs"), nullptr);
    const std::string file = io::join(folder_, "out.jsonl");
    const Json exported = json({"export", name, "--root", root_, "-o", file});
    EXPECT_EQ(exported.integer_or("bytes", 0),
              static_cast<std::int64_t>(io::stat(file).value().size));
    EXPECT_EQ(run({"export", name, "--root", root_, "--json"}).code, 2);
}

TEST_F(Findings, FindingR17_ARootThatIsAFileIsNamedWithARemedy) {
    const std::string file = io::join(folder_, "plain");
    std::ofstream(file) << "not a folder\n";
    for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
             {"ls", "--root", file}, {"show", "x", "--root", file}, {"gc", "--root", file}}) {
        const Outcome outcome = run(line);
        EXPECT_EQ(outcome.code, 1);
        EXPECT_THAT(outcome.errors, AllOf(HasSubstr(file + " is a file"), HasSubstr("--root DIR")));
    }
    const Outcome import = run({"import", root_, "--root", file});
    EXPECT_EQ(import.code, 1);
    EXPECT_THAT(import.errors, AllOf(HasSubstr(file + " is a file"), HasSubstr("--root DIR")));
}

TEST_F(Findings, FindingO18_ARemovedRootIsNamed) {
    const auto catalogue = read(root_).value();
    ASSERT_EQ(catalogue->runs().size(), 3u);
    EXPECT_TRUE(catalogue->unreadable().empty());
    ASSERT_TRUE(io::remove_tree(root_).ok());
    catalogue->refresh().value();
    EXPECT_TRUE(catalogue->runs().empty());
    ASSERT_EQ(catalogue->unreadable().size(), 1u);
    EXPECT_EQ(catalogue->unreadable()[0].location, root_);
    EXPECT_THAT(catalogue->unreadable()[0].reason, HasSubstr("it is gone"));
}

/// A store is its owner's; these tests look at it as somebody else.
void open_to_all(const std::string& folder) {
    namespace fs = std::filesystem;
    fs::permissions(folder, fs::perms(0755));
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        fs::permissions(entry.path(), fs::perms(entry.is_directory() ? 0755 : 0644));
    }
}

/// Acts as somebody who may not do everything; as root one may.
class AsNobody {
  public:
    AsNobody() {
        if (geteuid() == 0) {
            is_root_ = seteuid(65534) == 0;
        }
    }

    ~AsNobody() {
        if (is_root_) {
            (void)seteuid(0);
        }
    }

  private:
    bool is_root_ = false;
};

TEST_F(Findings, FindingO18_ARunWithoutPermissionIsNamedWithItsReason) {
    const std::string locked = folder_of(names()[1]), name = names()[1];
    open_to_all(folder_);
    ASSERT_EQ(chmod(locked.c_str(), 0), 0);
    Outcome listed_runs, verified;
    {
        const AsNobody somebody;
        listed_runs = run({"ls", root_});
        verified = run({"verify", "--root", root_});
    }
    ASSERT_EQ(chmod(locked.c_str(), 0755), 0);
    EXPECT_EQ(listed_runs.code, 1);
    EXPECT_THAT(listed_runs.errors, AllOf(HasSubstr(locked), HasSubstr("Permission denied")));
    EXPECT_THAT(listed_runs.out, Not(HasSubstr(name)));
    EXPECT_THAT(listed_runs.out, HasSubstr(names()[0]));
    EXPECT_EQ(verified.code, 1);
    EXPECT_THAT(verified.errors, HasSubstr(locked));
}

TEST_F(Findings, FindingO18_RmOnAReadOnlyRootSaysNothingItDidNotDo) {
    const std::string name = names()[0], folder = folder_of(name);
    open_to_all(folder_);
    ASSERT_EQ(chmod(folder.c_str(), 0555), 0);
    (void)chmod((folder + "/meta").c_str(), 0555);
    Outcome refused;
    {
        const AsNobody somebody;
        refused = run({"rm", name, "--root", root_, "--yes"});
    }
    ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.errors, AllOf(HasSubstr("cannot rm " + name), HasSubstr("ermission")));
    EXPECT_EQ(names().size(), 3u);
}

// The program itself, since the ends of its output are its own.
class Program : public Findings {
  protected:
    /// Runs a shell line in which $T is the command; its standard error comes back.
    static std::pair<int, std::string> shell(const std::string& line) {
        const std::string whole = "T='" TAFFRAIL_COMMAND "'; " + line;
        std::FILE* pipe = popen(whole.c_str(), "r");
        std::string text;
        char buffer[4096];
        for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
            text.append(buffer, count);
        }
        const int status = pclose(pipe);
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
    }
};

TEST_F(Program, FindingR17_AFullOutputIsAnErrorWithItsReason) {
    const auto [code, errors] = shell("\"$T\" export --root '" + root_ + "' 2>&1 >/dev/full");
    EXPECT_EQ(code, 1);
    EXPECT_THAT(errors, AllOf(HasSubstr("cannot write to standard output"),
                              HasSubstr("No space left on device")));
    EXPECT_THAT(shell("\"$T\" --help 2>&1 >/dev/full").second, HasSubstr("No space left"));
    EXPECT_EQ(shell("\"$T\" export --root '" + root_ + "' 2>&1 | head -c 1 >/dev/null").second, "")
        << "a reader that has enough is no error to talk about";
}

TEST_F(Program, FindingR05_LinesOfALiveRunComeThroughAPipeAtOnce) {
    std::unique_ptr<record::LogWriter> log;
    begin_live_run(log);
    tlog::Batch batch;
    batch.keys = {{1, Kind::Scalar, "loss"}};
    const std::vector<std::uint64_t> seq{1};
    const std::vector<std::int64_t> step{5}, time{kNow};
    const std::vector<std::uint32_t> key{1};
    const std::vector<double> value{0.25};
    batch.long_rows.push_back({key, {seq, step, time, {}, {}, {}, {}}, value});
    batch.first_seq = 1, batch.rows = 1;
    log->append(batch).value();
    // The run goes on for as long as this process does, and nothing else is logged: in a plain
    // pipe the shell would wait for `tail` long after `head` had its line.
    const auto [code, text] =
        shell("mkfifo '" + root_ + ".pipe'; timeout 60 \"$T\" tail busy --root '" + root_ +
              "' -f --interval 0.05 > '" + root_ + ".pipe' & timeout 30 head -n 1 < '" + root_ +
              ".pipe'; kill $!; rm '" + root_ + ".pipe'");
    EXPECT_THAT(text, HasSubstr("step 5  loss  0.25"));
}

}  // namespace
}  // namespace taffrail::cli
