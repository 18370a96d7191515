// taffrail::read finds the source of a path.
#include <taffrail/reader.h>

#include "io/files.h"
#include "store/layout.h"
#include "store/open_log.h"

namespace taffrail {
namespace {

std::string make_store(const std::string& root, const std::string& id) {
    const std::string folder = storage::make_run_folder(root, id, "run").value();
    tlog::FileIdentity identity;
    identity.run_id = id;
    identity.writer = 1;
    storage::open_log(folder, identity).value()->close(RunState::Finished).value();
    return folder;
}

TEST(Read, OpensANativeRootAndARunFolder) {
    const std::string folder = make_store("memory://read/one", "01A");
    EXPECT_EQ(read("memory://read/one").value()->runs().at(0).id, "01A");
    EXPECT_EQ(read(folder).value()->runs().at(0).source, "taffrail");
}

TEST(Read, OpensSeveralUnderNames) {
    make_store("memory://read/a", "01A");
    make_store("memory://read/b", "01B");
    make_store("memory://read/c", "01A");
    auto joined = read("x:memory://read/a,y:memory://read/b,z:memory://read/c").value();
    const auto runs = joined->runs();
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_EQ(runs[0].name, "x/run");
    EXPECT_EQ(runs[2].id, "z/01A");
    EXPECT_TRUE(joined->run("z/01A").ok());
    EXPECT_TRUE(joined->run("01B").ok());
    EXPECT_FALSE(joined->run("01C").ok());
    EXPECT_TRUE(joined->refresh().ok());
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

TEST(Read, RegisteredSourcesAreAsked) {
    io::make_directories("memory://read/foreign").value();
    bool opened = false;
    register_source(
        {.name = "test",
         .summary = "",
         .recognise = [](const std::string& path) { return path.ends_with("foreign") ? 50 : 0; },
         .open = [&opened](const std::string&) -> Result<std::shared_ptr<Catalogue>> {
             opened = true;
             return Error{ErrorCode::Unsupported, "just a test"};
         }});
    EXPECT_FALSE(read("memory://read/foreign").ok());
    EXPECT_TRUE(opened);
}

}  // namespace
}  // namespace taffrail
