// taffrail::read finds the source of a path.
#include <taffrail/reader.h>

#include "../places.h"
#include "io/files.h"
#include "store/layout.h"
#include "store/open_log.h"

#include <gtest/gtest.h>

namespace taffrail {
namespace {

std::string make_store(const std::string& root, const std::string& id) {
    const std::string folder = store::make_run_folder(root, id, "run").value();
    tlog::FileIdentity identity;
    identity.run_id = id;
    identity.writer = 1;
    store::open_log(folder, identity).value()->close(RunState::Finished).value();
    return folder;
}

TEST(Read, OpensANativeRootAndARunFolder) {
    const std::string folder = make_store("memory://read/one", "01A");
    EXPECT_EQ(read("memory://read/one").value()->runs().at(0).id, "01A");
    EXPECT_EQ(read(folder).value()->runs().at(0).source, "taffrail");
}

TEST(Read, OpensFoldersOfWeightsAndBiases) {
    const std::string samples = tests::data_folder() + "/wandb";
    EXPECT_EQ(read(samples).value()->runs().size(), 6u);
    EXPECT_EQ(read(samples + "/0.31.0").value()->runs().at(0).source, "wandb");
    EXPECT_EQ(read(samples + "/0.10.33/run-era01033.wandb").value()->runs().at(0).id, "era01033");
}

TEST(Read, OpensSeveralUnderNames) {
    make_store("memory://read/a", "01A");
    make_store("memory://read/b", "01B");
    make_store("memory://read/c", "01A");
    auto joined = read("x:memory://read/a,y:memory://read/b,z:memory://read/c").value();
    const auto runs = joined->runs();
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_EQ(runs[0].name, "x/run");
    EXPECT_EQ(runs[0].id, "x/01A");
    EXPECT_EQ(runs[1].id, "y/01B");
    EXPECT_EQ(runs[2].id, "z/01A");
    EXPECT_TRUE(joined->run("01B").ok());
    EXPECT_FALSE(joined->run("01C").ok());
    const auto both = joined->run("01A");
    ASSERT_FALSE(both.ok());
    EXPECT_NE(both.error().message.find("x/01A, z/01A"), std::string::npos) << both.error().message;
}

// What a run says of itself is what the list says: exports and imports go by the run.
TEST(Read, JoinedRunsKeepTheirIdsWhereverTheyAreAsked) {
    make_store("memory://read/d", "01A");
    make_store("memory://read/e", "01A");
    auto joined = read("d:memory://read/d,e:memory://read/e").value();
    for (const RunInfo& info : joined->runs()) {
        const auto run = joined->run(info.id);
        ASSERT_TRUE(run.ok());
        EXPECT_EQ((*run)->info().id, info.id);
        EXPECT_EQ((*run)->info().name, info.name);
        EXPECT_EQ((*run)->info().location, info.location);
    }
    EXPECT_EQ(joined->run("e/run").value()->info().id, "e/01A");
    make_store("memory://read/e", "01N");
    EXPECT_EQ(joined->refresh().value(), std::vector<std::string>{"e/01N"});
}

TEST(Read, FoldersWithoutANameGoByTheirOwn) {
    make_store("memory://read/f/logs", "01A");
    make_store("memory://read/g/logs", "01A");
    const auto runs = read("memory://read/f/logs,memory://read/g/logs/").value()->runs();
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0].id, "logs/01A");
    EXPECT_EQ(runs[1].id, "logs-2/01A");
    const auto twice = read("n:memory://read/f/logs,n:memory://read/g/logs");
    ASSERT_FALSE(twice.ok());
    EXPECT_EQ(twice.error().code, ErrorCode::InvalidArgument);
}

TEST(Read, SaysWhatIsWrong) {
    const auto absent = read("memory://read/absent");
    ASSERT_FALSE(absent.ok());
    EXPECT_EQ(absent.error().code, ErrorCode::NotFound);
    io::make_directories("memory://read/empty").value();
    const auto empty = read("memory://read/empty");
    ASSERT_FALSE(empty.ok());
    EXPECT_EQ(empty.error().code, ErrorCode::Unsupported);
    EXPECT_NE(empty.error().message.find("taffrail"), std::string::npos);
}

TEST(Read, OptionsAreThoseOfTheSource) {
    make_store("memory://read/options", "01A");
    EXPECT_TRUE(read("memory://read/options").ok());
    const auto refused = read("memory://read/options", {{"threads", "2"}});
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message.find("taffrail: unknown option 'threads'"),
              std::string::npos);
}

TEST(Read, RegisteredSourcesAreAsked) {
    io::make_directories("memory://read/foreign").value();
    bool opened = false;
    register_source(
        {.name = "test",
         .summary = "",
         .recognise = [](const std::string& path) { return path.ends_with("foreign") ? 50 : 0; },
         .open = [&opened](const std::string&,
                           const OptionMap&) -> Result<std::shared_ptr<Catalogue>> {
             opened = true;
             return Error{ErrorCode::Unsupported, "just a test"};
         }});
    EXPECT_FALSE(read("memory://read/foreign").ok());
    EXPECT_TRUE(opened);
}

}  // namespace
}  // namespace taffrail
