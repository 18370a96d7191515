// Whole stores whose sealed files lie, as tests/data/hostile/sealed keeps them: every command and
// route goes through them in tests/interop/hostile, and what a reader makes of them is said here.
// Written once by this program with TAFFRAIL_WRITE_HOSTILE=<folder> (tests/data/hostile/make.py
// says how).
#include "io/files.h"
#include "io/temporary_folder.h"
#include "places.h"
#include "seal/changed_table.h"
#include "store/catalogue.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/run_reader.h"
#include "store/sample_batch.h"
#include "store/sealing.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace taffrail::store {
namespace {

constexpr std::uint64_t kHostileRows = 200;
constexpr std::size_t kEpochColumn = 2;

using Change = std::function<std::optional<Bytes>(const Bytes& file)>;

/// By the name of the store: what is done to each of its tables of scalars.
std::map<std::string, Change> changes() {
    using seal::FileIndex;
    using seal::testing::Footer;
    using seal::testing::with_index;
    return {
        // Levels of 2 where 1 is the largest: no value is stored, and each row would take one.
        {"levels-of-two",
         [](const Bytes& file) {
             // The checksum in a page's header has a length of its own: any level too large does.
             std::optional<Bytes> changed;
             for (int level = 2; level < 256 && !changed; ++level) {
                 changed = seal::testing::with_page(file, kEpochColumn, 0, [level](Bytes& body) {
                     body.back() = static_cast<std::byte>(level);
                 });
             }
             return changed;
         }},
        {"series-in-the-step-column",
         [](const Bytes& file) {
             return with_index(file, Footer::Kept,
                               [](FileIndex& index) { index.sections[0].series[0].column = 0; });
         }},
        {"one-list-of-pages",
         [](const Bytes& file) {
             return with_index(file, Footer::Dropped,
                               [](FileIndex& index) { index.pages.resize(1); });
         }},
        {"rows-that-are-not-there",
         [](const Bytes& file) {
             return with_index(file, Footer::Dropped, [](FileIndex& index) {
                 index.rows = std::uint64_t{1} << 31;
                 for (auto& pages : index.pages) {
                     pages = {{4, 100, std::uint32_t{1} << 31}};
                 }
                 index.sections[0].rows = index.writers[0].rows = index.phases[0].rows = index.rows;
             });
         }},
    };
}

/// A store of one sealed run without its logs.
void make_sealed_store(const std::string& root) {
    make_root(root).value();
    const std::string folder = make_run_folder(root, "01HOSTILE", "sealed").value();
    tlog::FileIdentity identity = sample_identity(1);
    identity.run_id = "01HOSTILE";
    auto log = open_log(folder, identity).value();
    log->append(sample_definitions()).value();
    log->append(SampleRows(1, 1, kHostileRows).batch()).value();
    log->close(RunState::Finished).value();
    log.reset();
    seal_finished(folder).value();
    drop_sealed_logs(folder, std::chrono::nanoseconds(0)).value();
}

std::string run_folder_of(const std::string& root) {
    const auto runs = io::list(root + "/runs").value();
    return root + "/runs/" + runs.at(0).name;
}

/// How many tables were changed.
int change_tables(const std::string& root, const Change& change) {
    int changed = 0;
    const std::string folder = run_folder_of(root);
    const Manifest manifest = read_manifest(folder).value();
    for (const seal::SealedFileInfo& info : manifest.files) {
        const std::string path = folder + "/data/" + info.name;
        if (info.kind == seal::SealedFileInfo::Kind::Scalars) {
            const auto bytes = change(io::read_file(path).value());
            if (!bytes) {
                continue;
            }
            io::write_file_atomically(path, *bytes, false).value();
            ++changed;
        }
    }
    return changed;
}

TEST(HostileSealed, WriteOnRequest) {
    const char* folder = std::getenv("TAFFRAIL_WRITE_HOSTILE");
    if (folder == nullptr) {
        GTEST_SKIP() << "set TAFFRAIL_WRITE_HOSTILE to the folder to write";
    }
    for (const auto& [name, change] : changes()) {
        const std::string root = std::string(folder) + "/" + name;
        make_sealed_store(root);
        EXPECT_GT(change_tables(root, change), 0) << name;
    }
}

/// Everything that is asked of a run; the number of points it has.
std::size_t use(const std::string& root, std::size_t& damaged) {
    const auto run = RunReader::open(run_folder_of(root)).value();
    std::size_t points = 0;
    for (const KeyInfo& key : run->keys()) {
        if (const auto found = run->points(key.key); found.ok()) {
            points += found->size();
        }
        for (const Axis axis : {Axis::Steps, Axis::WallTime, Axis::Epoch, Axis::Samples}) {
            (void)run->bins(key.key, {.axis = axis, .width = 10});
        }
    }
    (void)run->for_each([](const Record&) { return true; });
    damaged = run->damage_met().size();
    return points;
}

std::string kept(const std::string& name) {
    return tests::data_folder() + "/hostile/sealed/" + name;
}

std::size_t points_of_a_good_one() {
    const test::TemporaryFolder temporary;
    const std::string good = temporary.file("good");
    make_sealed_store(good);
    std::size_t damaged = 0;
    const std::size_t points = use(good, damaged);
    EXPECT_EQ(damaged, 0u);
    EXPECT_GT(points, kHostileRows);
    return points;
}

TEST(HostileSealed, FindingS03_LevelsThatAreTooLargeCostTheirPageAndAreNamed) {
    std::size_t damaged = 0;
    EXPECT_LE(use(kept("levels-of-two"), damaged), points_of_a_good_one());
    EXPECT_GT(damaged, 0u) << "nothing was said";
}

TEST(HostileSealed, FindingS04_AnIndexThatLiesIsNamedAndTheFooterMakesUpForIt) {
    std::size_t damaged = 0;
    EXPECT_EQ(use(kept("series-in-the-step-column"), damaged), points_of_a_good_one());
    EXPECT_GT(damaged, 0u) << "nothing was said";
    for (const char* name : {"one-list-of-pages", "rows-that-are-not-there"}) {
        EXPECT_EQ(use(kept(name), damaged), 0u) << name << ": neither index nor footer";
        EXPECT_GT(damaged, 0u) << name << ": nothing was said";
    }
}

}  // namespace
}  // namespace taffrail::store
