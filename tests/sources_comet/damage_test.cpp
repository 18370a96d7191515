// Archives that are cut, changed or foreign, and folders that somebody else made.
#include "../test_files.h"
#include "codec/zip_writer.h"
#include "sources/comet/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace taffrail;
using testing::HasSubstr;

namespace {

constexpr const char* kExperiment =
    R"({"offline_id":"0123456789abcdef0123456789abcdef","project_name":"p","workspace":null,"start_time":1700000000000,"stop_time":1700000001000,"tags":[]})";

std::string messages(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text +=
            R"({"payload":{"local_timestamp":1700000000000,"metric":{"metricName":"loss","metricValue":)" +
            std::to_string(i) + R"(.5,"step":)" + std::to_string(i) +
            R"(,"epoch":null}},"type":"metric_msg"})" + "\n";
    }
    return text;
}

std::string archive_of(const std::string& lines, bool is_packed) {
    std::string bytes;
    ZipWriter writer([&](ByteSpan part) -> Result<void> {
        bytes += as_text(part);
        return {};
    });
    const ZipMethod method = is_packed ? ZipMethod::Deflated : ZipMethod::Stored;
    EXPECT_TRUE(writer.add("experiment.json", as_bytes(kExperiment), method).ok());
    EXPECT_TRUE(writer.add("messages.json", as_bytes(lines), method).ok());
    EXPECT_TRUE(writer.finish().ok());
    return bytes;
}

std::shared_ptr<model::GatheredCatalogue> open(const test::TestFolder& folder) {
    auto catalogue = std::make_shared<model::GatheredCatalogue>(
        [path = folder.path()] { return sources::comet::find_runs(path); });
    EXPECT_TRUE(catalogue->refresh().ok());
    return catalogue;
}

std::size_t points(const model::GatheredCatalogue& catalogue) {
    std::size_t count = 0;
    for (const RunInfo& info : catalogue.runs()) {
        const auto found = catalogue.run(info.id).value()->points("loss");
        count += found.ok() ? found->size() : 0;
    }
    return count;
}

}  // namespace

TEST(CometDamage, PackedAndStoredArchivesAreRead) {
    for (const bool is_packed : {false, true}) {
        const test::TestFolder folder;
        folder.write("a.zip", archive_of(messages(50), is_packed));
        EXPECT_EQ(points(*open(folder)), 50u);
    }
}

TEST(CometDamage, FoldersCutAnywhereGiveWhatIsWhole) {
    const std::string text = messages(20);
    std::size_t before = 0;
    for (std::size_t length = 0; length <= text.size(); length += 13) {
        const test::TestFolder folder;
        folder.write("x/experiment.json", kExperiment);
        folder.write("x/messages.json", text.substr(0, length));
        const auto catalogue = open(folder);
        const std::size_t found = points(*catalogue);
        EXPECT_GE(found, before);
        before = found;
        ASSERT_EQ(catalogue->runs().size(), 1u);
        const bool is_cut =
            length > 0 && text[length - 1] != '\n' && text.substr(length, 1) != "\n";
        const auto run = catalogue->run(catalogue->runs()[0].id).value();
        EXPECT_EQ(run->damage().empty(), !is_cut) << length;
    }
    EXPECT_EQ(before, 19u);
}

TEST(CometDamage, ArchivesCutOrChangedNeverCrashAndAreNamed) {
    const std::string whole = archive_of(messages(5), false);
    for (std::size_t at = 0; at < whole.size(); at += 3) {
        const test::TestFolder folder;
        std::string broken = whole;
        broken[at] = static_cast<char>(broken[at] ^ 0x21);
        folder.write("a.zip", broken);
        const auto catalogue = open(folder);
        EXPECT_LE(points(*catalogue), 5u);
    }
    const test::TestFolder folder;
    folder.write("a.zip", whole.substr(0, whole.size() / 2));
    EXPECT_TRUE(open(folder)->runs().empty());
}

TEST(CometDamage, OddMessagesCostThemselvesOnly) {
    const test::TestFolder folder;
    folder.write("x/experiment.json", kExperiment);
    folder.write(
        "x/messages.json",
        messages(1) + "not json\n{}\n[]\n" +
            R"({"type":"metric_msg","payload":{"metric":{"metricName":"loss","metricValue":true,"step":"x"}}})" +
            "\n" +
            R"({"type":"file_upload","payload":{"file_path":"../../etc/passwd","upload_type":"visualization","additional_params":{"figName":"img","step":1e300}}})" +
            "\n" + R"({"type":"never heard of","payload":{}})" + "\n" +
            R"({"type":"ws_msg","payload":{"local_timestamp":1,"metric":{"metricName":"loss","metricValue":"2.5","step":null}}})" +
            "\n");
    const auto catalogue = open(folder);
    const auto run = catalogue->run(catalogue->runs().at(0).id).value();
    EXPECT_EQ(run->points("loss").value().size(), 2u);
    EXPECT_TRUE(run->entries("img").value().empty());
    EXPECT_GE(run->damage().size(), 5u);
}

TEST(CometDamage, LinksLeadNowhere) {
    const test::TestFolder folder;
    folder.write("x/experiment.json", kExperiment);
    folder.write(
        "x/messages.json",
        messages(1) +
            R"({"type":"file_upload","payload":{"file_path":"secret","upload_type":"asset","additional_params":{"fileName":"f","step":null}}})" +
            "\n");
    folder.write("elsewhere", "secret");
    ASSERT_EQ(::symlink((folder / "elsewhere").c_str(), (folder / "x/secret").c_str()), 0);
    ASSERT_EQ(::symlink(folder.path().c_str(), (folder / "x/loop").c_str()), 0);
    const auto catalogue = open(folder);
    ASSERT_EQ(catalogue->runs().size(), 1u);
    const auto run = catalogue->run(catalogue->runs()[0].id).value();
    static_cast<void>(run->entries("f"));
    for (const Entry& entry : run->entries("f").value_or(std::vector<Entry>())) {
        for (const ArtifactFile& file : std::get<Artifact>(*entry.value).files) {
            EXPECT_FALSE(run->load(file.data.ref).ok());
        }
    }
}

TEST(CometDamage, ForeignArchivesAreNotRuns) {
    const test::TestFolder folder;
    std::string bytes;
    ZipWriter writer([&](ByteSpan part) -> Result<void> {
        bytes += as_text(part);
        return {};
    });
    ASSERT_TRUE(writer.add("other.txt", as_bytes("x")).ok());
    ASSERT_TRUE(writer.finish().ok());
    folder.write("a.zip", bytes);
    folder.write("b.zip", "");
    EXPECT_FALSE(sources::comet::depth_of_archives(folder.path()));
    EXPECT_TRUE(open(folder)->runs().empty());
}
