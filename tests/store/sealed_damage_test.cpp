// Sealed files and the logs behind them, damaged: what one copy lacks comes from the other, and
// with one copy everything outside the damaged page is still there.
#include "io/files.h"
#include "store/glance.h"
#include "store/layout.h"
#include "store/manifest.h"
#include "store/run_check.h"
#include "store/run_reader.h"
#include "store/sealing.h"
#include "store/sealing_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace taffrail::store {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Line = std::tuple<std::uint64_t, std::uint64_t, std::string, Step, double>;

std::multiset<Line> records_of(const std::string& folder) {
    std::multiset<Line> lines;
    RunReader::open(folder)
        .value()
        ->for_each([&](const Record& record) {
            lines.emplace(record.writer, record.seq, std::string(record.key), record.step,
                          record.kind == Kind::Scalar ? record.scalar : 0);
            return true;
        })
        .value();
    return lines;
}

void flip(const std::string& path, std::size_t at) {
    Bytes bytes = io::read_file(path).value();
    bytes[at] ^= std::byte{1};
    io::write_file_atomically(path, bytes, false).value();
}

void flip_middle(const std::string& path) {
    flip(path, static_cast<std::size_t>(io::stat(path).value().size / 2));
}

class SealedDamage : public SealingTest {
  protected:
    void SetUp() override {
        add(1, 0, 0, 400);
        add(2, 1, 400, 200);
        files_ = seal_finished(folder_).value().files;
        whole_ = records_of(folder_);
        ASSERT_GT(whole_.size(), 600u);
        ASSERT_TRUE(check_run_files(folder_).empty());
    }

    [[nodiscard]] std::string sealed(const seal::SealedFileInfo& file) const {
        return io::join(io::join(folder_, kDataFolder), file.name);
    }

    [[nodiscard]] std::vector<std::string> logs() const {
        std::vector<std::string> urls;
        for (const FileName& name : list_logs(folder_)) {
            urls.push_back(
                io::join(io::join(folder_, kLiveFolder), log_name(name.writer, name.number)));
        }
        return urls;
    }

    /// Everything that readers are asked, beside the walk over all records.
    void expect_whole() const {
        const auto run = RunReader::open(folder_).value();
        EXPECT_EQ(run->points("train/loss").value().size(), points_of("train/loss"));
        EXPECT_EQ(run->bins("train/loss", {.width = 20}).value().points, points_of("train/loss"));
        EXPECT_EQ(run->entries("config").value().size(), 2u);
        for (const KeyInfo& key : run->keys()) {
            EXPECT_EQ(key.count, points_of(key.key)) << key.key;
        }
        EXPECT_EQ(run->info().state, RunState::Finished);
        EXPECT_EQ(records_of(folder_), whole_);
    }

    [[nodiscard]] std::size_t points_of(const std::string& key) const {
        return static_cast<std::size_t>(std::ranges::count_if(
            whole_, [&](const Line& line) { return std::get<2>(line) == key; }));
    }

    std::vector<seal::SealedFileInfo> files_;
    std::multiset<Line> whole_;
};

TEST_F(SealedDamage, OfALogCostsNothingAndIsNamed) {
    for (const std::string& log : logs()) {
        const Bytes good = io::read_file(log).value();
        for (const std::size_t at : {std::size_t{3}, good.size() / 2, good.size() - 3}) {
            flip(log, at);
            expect_whole();
            const std::vector<Damage> damage = check_run_files(folder_);
            ASSERT_FALSE(damage.empty()) << log << " byte " << at;
            EXPECT_EQ(damage[0].file, log);
            EXPECT_LE(damage[0].offset, at);
            EXPECT_GT(damage[0].offset + damage[0].length, at);
            EXPECT_THAT(damage[0].reason, HasSubstr("the sealed files hold"));
            io::write_file_atomically(log, good, false).value();
        }
    }
}

TEST_F(SealedDamage, OfASealedFileCostsNothingWhileTheLogsAreThere) {
    for (const seal::SealedFileInfo& file : files_) {
        const Bytes good = io::read_file(sealed(file)).value();
        flip_middle(sealed(file));
        expect_whole();
        EXPECT_FALSE(check_run_files(folder_).empty()) << file.name;
        io::remove(sealed(file)).value();
        expect_whole();
        EXPECT_FALSE(check_run_files(folder_).empty()) << file.name;
        io::write_file_atomically(sealed(file), good, false).value();
    }
}

// A column of which a page is damaged comes from the log like a row would: an epoch that the sealed
// file has lost is not an absent one.
TEST(SealedAxes, DamagedAnywhereTheyComeFromTheLogsThatAreThere) {
    const std::string folder = fresh_folder("memory") + "/01SAMPLE-axes";
    constexpr std::size_t kRows = 300;
    std::vector<double> epochs(kRows);
    std::vector<std::int64_t> samples(kRows);
    const std::vector<std::uint8_t> phases(kRows, static_cast<std::uint8_t>(Phase::Train));
    for (std::size_t row = 0; row < kRows; ++row) {
        epochs[row] = static_cast<double>(row) / 7;
        samples[row] = static_cast<std::int64_t>(row) * 64;
    }
    auto log = open_log(folder, sample_identity(1)).value();
    tlog::Batch definitions = sample_definitions();
    log->append(definitions).value();
    SampleRows rows(1, 0, kRows);
    for (tlog::WideRows& wide : rows.batch().wide) {
        const std::size_t count = wide.axes.rows();
        wide.axes.epoch = std::span(epochs).first(count);
        wide.axes.samples = std::span(samples).first(count);
        wide.axes.phase = std::span(phases).first(count);
    }
    const Bytes settings = encode_value(Value(Hparams{{"lr", 0.1}}));
    tlog::ValueRecord& value = rows.batch().values.emplace_back();
    value.seq = kRows;
    value.key = 5;
    value.kind = Kind::Hparams;
    value.metadata = settings;
    value.epoch = 2.5;
    rows.batch().rows = kRows + 1;
    log->append(rows.batch()).value();
    log->close(RunState::Finished).value();
    const auto files = seal_finished(folder).value().files;
    const auto read_all = [&] {
        std::vector<std::tuple<Step, std::int64_t, double, double, std::int64_t, Phase>> all;
        for (const Point& point : RunReader::open(folder).value()->points("train/loss").value()) {
            all.emplace_back(point.step, point.time_ns, point.value, point.epoch, point.samples,
                             point.phase);
        }
        return all;
    };
    const auto whole = read_all();
    ASSERT_GT(whole.size(), 200u);
    ASSERT_EQ(std::get<3>(whole.back()), static_cast<double>(whole.size() - 1) / 7);
    for (const seal::SealedFileInfo& file : files) {
        const std::string path = io::join(io::join(folder, kDataFolder), file.name);
        const Bytes good = io::read_file(path).value();
        for (std::size_t at = 4; at < good.size(); at += 41) {
            flip(path, at);
            EXPECT_EQ(read_all(), whole) << file.name << " byte " << at;
            const auto entries = RunReader::open(folder).value()->entries("config").value();
            ASSERT_EQ(entries.size(), 1u) << file.name << " byte " << at;
            EXPECT_EQ(entries[0].epoch, 2.5) << file.name << " byte " << at;
            io::write_file_atomically(path, good, false).value();
        }
    }
}

// Of a disk that gave up, or by somebody who wants to see a reader fall: neither the footer nor a
// page of the file can be made sense of, and there is no log.
TEST_F(SealedDamage, FindingS04_OfAllOfAFileCostsThatFileAlone) {
    drop_sealed_logs(folder_, 0ns).value();
    for (const seal::SealedFileInfo& file : files_) {
        const Bytes good = io::read_file(sealed(file)).value();
        for (const std::byte filler : {std::byte{0}, std::byte{0xFF}}) {
            Bytes bytes(good.size(), filler);
            std::copy_n(good.begin(), 4, bytes.begin());
            std::copy_n(good.end() - 4, 4, bytes.end() - 4);
            io::write_file_atomically(sealed(file), bytes, false).value();
            EXPECT_LE(records_of(folder_).size(), whole_.size()) << file.name;
            const bool is_values = file.kind == seal::SealedFileInfo::Kind::Values;
            const auto run = RunReader::open(folder_).value();
            if (is_values) {
                EXPECT_EQ(run->points("train/loss").value().size(), points_of("train/loss"));
            }
            EXPECT_FALSE(check_run_files(folder_).empty()) << file.name;
        }
        io::write_file_atomically(sealed(file), good, false).value();
    }
    EXPECT_EQ(records_of(folder_), whole_);
}

// Each copy lacks something else; together they have everything.
TEST_F(SealedDamage, OfBothCopiesCostsOnlyWhatBothLack) {
    const auto scalars =
        std::ranges::find(files_, seal::SealedFileInfo::Kind::Scalars, &seal::SealedFileInfo::kind);
    flip_middle(sealed(*scalars));
    flip_middle(logs().back());
    const auto left = records_of(folder_);
    EXPECT_TRUE(std::ranges::includes(whole_, left));
    const auto run = RunReader::open(folder_).value();
    std::size_t loss = 0;
    for (const Line& line : left) {
        loss += std::get<2>(line) == "train/loss" ? 1 : 0;
    }
    EXPECT_EQ(run->points("train/loss").value().size(), loss);
    EXPECT_GT(left.size(), whole_.size() / 2);
}

TEST_F(SealedDamage, KeepsTheLogsUntilSealedAnew) {
    for (const seal::SealedFileInfo& file : files_) {
        flip_middle(sealed(file));
        const auto dropped = drop_sealed_logs(folder_, 0ns);
        ASSERT_FALSE(dropped.ok()) << file.name;
        EXPECT_THAT(dropped.error().message, HasSubstr(file.name));
        EXPECT_THAT(dropped.error().message, HasSubstr("taffrail seal"));
        EXPECT_FALSE(logs().empty());
        EXPECT_TRUE(reseal_damaged(folder_).value()) << file.name;
        EXPECT_TRUE(check_run_files(folder_).empty());
        EXPECT_FALSE(reseal_damaged(folder_).value());
    }
    EXPECT_GT(drop_sealed_logs(folder_, 0ns).value(), 0u);
    expect_whole();
}

TEST_F(SealedDamage, IsNotSealedAnewFromADamagedLog) {
    flip_middle(sealed(files_[0]));
    flip_middle(logs().front());
    EXPECT_FALSE(reseal_damaged(folder_).ok());
}

TEST_F(SealedDamage, OfTheManifestCostsNothing) {
    flip_middle(io::join(folder_, "manifest-00001"));
    EXPECT_EQ(records_of(folder_), whole_);
    EXPECT_FALSE(check_run_files(folder_).empty());
    EXPECT_FALSE(drop_sealed_logs(folder_, 0ns).ok() && logs().empty());
    for (const std::string& log : logs()) {
        io::remove(log).value();
    }
    expect_whole();
}

// Without logs: no byte may bring a reader down, invent a record, or cost more than its own page.
TEST_F(SealedDamage, OfAnyByteCostsAtMostItsPageOnceTheLogsAreGone) {
    ASSERT_GT(drop_sealed_logs(folder_, 0ns).value(), 0u);
    const bool full = std::getenv("TAFFRAIL_FULL") != nullptr;
    for (const seal::SealedFileInfo& file : files_) {
        const Bytes good = io::read_file(sealed(file)).value();
        for (std::size_t at = 0; at < good.size(); at += full ? 1 : 61) {
            SCOPED_TRACE(file.name + " byte " + std::to_string(at));
            flip(sealed(file), at);
            const auto left = records_of(folder_);
            EXPECT_TRUE(std::ranges::includes(whole_, left));
            const auto run = RunReader::open(folder_).value();
            const std::vector<Damage> damage = check_run_files(folder_);
            EXPECT_FALSE(damage.empty());
            std::set<std::string> touched;
            std::vector<Line> lost;
            std::ranges::set_difference(whole_, left, std::back_inserter(lost));
            for (const Line& line : lost) {
                touched.insert(std::get<2>(line));
            }
            // What is lost was in a page that holds this very byte.
            EXPECT_TRUE(lost.empty() || std::ranges::any_of(damage, [&](const Damage& place) {
                            return place.file == sealed(file) && place.offset <= at &&
                                   at < place.offset + place.length && place.length < good.size();
                        }));
            // Each of these small files has one page a column: an axis takes the file, a value its
            // key, anything else nothing.
            if (file.kind == seal::SealedFileInfo::Kind::Values) {
                EXPECT_TRUE(lost.empty() || touched == std::set<std::string>{"config"});
            } else if (file.kind == seal::SealedFileInfo::Kind::Rest) {
                EXPECT_TRUE(lost.empty());
            } else {
                EXPECT_LE(lost.size(), file.rows * std::max<std::size_t>(touched.size(), 1));
                EXPECT_FALSE(touched.contains("config"));
                for (const std::string& key : touched) {
                    std::size_t left_of_key = 0;
                    for (const Line& line : left) {
                        left_of_key += std::get<2>(line) == key ? 1 : 0;
                    }
                    EXPECT_EQ(run->points(key).value().size(), left_of_key);
                    EXPECT_FALSE(run->damage().empty());
                }
            }
            io::write_file_atomically(sealed(file), good, false).value();
        }
    }
    expect_whole();
}

TEST_F(SealedDamage, NoLogAtAllIsDamageAndNotARunningWriter) {
    const std::string url = io::join(io::join(folder_, kLiveFolder), log_name(99, 0));
    Bytes noise(5000);
    for (std::size_t i = 0; i < noise.size(); ++i) {
        noise[i] = static_cast<std::byte>(i * 2654435761u >> 13);
    }
    io::write_file_atomically(url, noise, false).value();
    const auto run = RunReader::open(folder_).value();
    EXPECT_EQ(run->info().state, RunState::Finished);
    const auto damage = run->damage();
    ASSERT_EQ(damage.size(), 1u);
    EXPECT_EQ(damage[0].file, url);
    EXPECT_EQ(damage[0].length, noise.size());
    EXPECT_THAT(damage[0].reason, HasSubstr("header"));
    EXPECT_EQ(glance_at_run(folder_).info.state, RunState::Finished);
    EXPECT_TRUE(seal_finished(folder_).value().files.empty());
}

}  // namespace
}  // namespace taffrail::store
