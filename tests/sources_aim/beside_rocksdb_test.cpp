// What is read of table files without RocksDB is what RocksDB tells of them.
#include "../test_files.h"
#include "codec/formats/aim/encoding.h"
#include "rocksdb/store.h"
#include "sources/aim/metric_columns.h"
#include "sources/aim/table_folder.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <cmath>
#include <map>
#include <random>

using namespace taffrail;
using namespace taffrail::formats::aim;
using sources::aim::MetricColumns;
using sources::aim::TableFolder;

namespace {

class BesideRocksdb : public testing::TestWithParam<unsigned> {
  protected:
    BesideRocksdb() : random_(GetParam()) { reopen(); }

    unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

    void reopen() {
        database_.reset();
        ::rocksdb::Options options;
        options.create_if_missing = true;
        options.num_levels = 4;
        options.level0_file_num_compaction_trigger = below(2) == 0 ? 3 : 12;
        options.compression = below(3) == 0   ? ::rocksdb::kNoCompression
                              : below(2) == 0 ? ::rocksdb::kZSTD
                                              : ::rocksdb::kSnappyCompression;
        ::rocksdb::BlockBasedTableOptions table;
        table.checksum = ::rocksdb::kCRC32c;
        table.block_size = below(2) == 0 ? 128 : 4096;
        table.block_restart_interval = 1 + static_cast<int>(below(20));
        table.index_block_restart_interval = 1 + static_cast<int>(below(5));
        table.format_version = 2 + below(4);
        options.table_factory.reset(::rocksdb::NewBlockBasedTableFactory(table));
        ::rocksdb::DB* opened = nullptr;
        ASSERT_TRUE(::rocksdb::DB::Open(options, folder_ / "db", &opened).ok());
        database_.reset(opened);
    }

    void disturb() {
        switch (below(24)) {
            case 0:
            case 1:
                ASSERT_TRUE(database_->Flush({}).ok());
                break;
            case 2:
                reopen();
                break;
            case 3:
                ASSERT_TRUE(database_->CompactRange({}, nullptr, nullptr).ok());
                break;
            default:
                break;
        }
    }

    void rest() {
        ASSERT_TRUE(database_->Flush({}).ok());
        ASSERT_TRUE(database_->Close().ok());
        database_.reset();
    }

    /// As Aim does it: what is below the key goes, in one batch with what comes.
    void set(const std::string& path, const std::string& value) {
        ::rocksdb::WriteBatch batch;
        ASSERT_TRUE(batch.DeleteRange(path, path + '\xFF').ok());
        ASSERT_TRUE(batch.DeleteRange("BLOBS\xFE" + path, "BLOBS\xFE" + path + '\xFF').ok());
        ASSERT_TRUE(batch.Put(path, value).ok());
        ASSERT_TRUE(batch.Delete("BLOBS\xFE" + path).ok());
        ASSERT_TRUE(database_->Write({}, &batch).ok());
    }

    [[nodiscard]] std::optional<TableFolder> at_rest() const {
        return TableFolder::open(folder_.path(), folder_ / "db");
    }

    std::mt19937 random_;
    test::TestFolder folder_;
    std::unique_ptr<::rocksdb::DB> database_;
};

TEST_P(BesideRocksdb, KeysThatComeAndGoAreTheSame) {
    const auto name = [&] {
        std::string made;
        for (unsigned depth = 1 + below(3); depth > 0; --depth) {
            made += std::string(1 + below(3), static_cast<char>('a' + below(3))) + '\xFE';
        }
        return made;
    };
    for (int i = 0; i < 200; ++i) {
        const std::string key = name();
        switch (below(6)) {
            case 0:
                ASSERT_TRUE(
                    database_->DeleteRange({}, database_->DefaultColumnFamily(), key, key + '\xFF')
                        .ok());
                break;
            case 1:
                ASSERT_TRUE(database_->Delete({}, key).ok());
                break;
            case 2:
                ASSERT_TRUE(database_->Put({}, key, std::string(below(40), 'v')).ok());
                break;
            default:
                set(key, std::to_string(i));
                break;
        }
        disturb();
    }
    rest();
    auto tables = at_rest();
    ASSERT_TRUE(tables);
    auto store =
        taffrail::rocksdb::Store::open(folder_ / "db", taffrail::rocksdb::Access::Read).value();
    for (const std::string prefix : {"", "a", "b\xFE", "cc",
                                     "aa\xFE"
                                     "b",
                                     "zz"}) {
        std::vector<std::pair<std::string, std::string>> found, expected;
        ASSERT_TRUE(tables->scan(prefix, [&](std::string_view key, std::string_view value) {
            found.emplace_back(key, value);
        }));
        ASSERT_TRUE(store
                        ->scan(prefix,
                               [&](std::string_view key, std::string_view value) {
                                   expected.emplace_back(key, value);
                                   return true;
                               })
                        .ok());
        EXPECT_EQ(found, expected) << prefix;
    }
}

template <typename T>
std::map<std::uint64_t, T> by_place(const std::vector<sources::aim::Spot<T>>& cells) {
    std::map<std::uint64_t, T> found;
    for (const auto& cell : cells) {
        EXPECT_TRUE(found.empty() || found.rbegin()->first < cell.at);
        found.emplace(cell.at, cell.held);
    }
    return found;
}

TEST_P(BesideRocksdb, MetricsAreTheSame) {
    const std::vector<std::pair<std::int64_t, std::string>> metrics{
        {-5, "loss"}, {7, "loss"}, {7, "a/long name of a metric"}, {7, "l"}};
    const auto base_of = [](const auto& metric) {
        return Path({"seqs", "v2", "chunks", "hash"}).add(metric.first).add(metric.second);
    };
    for (const auto& metric : metrics) {
        for (const char* column : {"val", "step", "time", "epoch"}) {
            set((base_of(metric) / column).bytes(), array());
        }
    }
    for (int i = 0; i < 160; ++i) {
        const auto& metric = metrics[below(4)];
        // Some come again and again.
        const std::int64_t at = below(4) == 0
                                    ? std::int64_t{below(5)} - 2
                                    : static_cast<std::int64_t>(random_() * 0x9E3779B97F4A7C15u);
        const Path base = base_of(metric);
        set((base / "step" / at).bytes(), below(9) == 0 ? number(i) : whole(i));
        set((base / "val" / at).bytes(), below(9) == 0 ? whole(i) : number(i * 0.5));
        set((base / "epoch" / at).bytes(), below(2) == 0 ? none() : whole(i / 7));
        if (below(20) != 0) {
            set((base / "time" / at).bytes(), number(1e9 + i));
        }
        disturb();
    }
    rest();
    auto tables = at_rest();
    ASSERT_TRUE(tables);
    const auto read = sources::aim::read_metrics(*tables, "hash");
    ASSERT_TRUE(read);
    auto store =
        taffrail::rocksdb::Store::open(folder_ / "db", taffrail::rocksdb::Access::Read).value();
    const auto held = [](const MetricColumns& columns) {
        auto epoch = by_place(columns.epoch);
        for (auto& [at, value] : epoch) {
            value = std::isnan(value) ? -1 : value;
        }
        return std::tuple(by_place(columns.value), by_place(columns.step), by_place(columns.time),
                          epoch);
    };
    for (const auto& metric : metrics) {
        MetricColumns expected;
        ASSERT_TRUE(sources::aim::read_columns(*store, base_of(metric).bytes(), expected).ok());
        ASSERT_TRUE(read->contains(metric));
        EXPECT_EQ(held(read->at(metric)), held(expected)) << metric.second;
    }
}

// Aim deletes no points of a metric. Where somebody did, RocksDB tells what is left.
TEST_P(BesideRocksdb, DeletedPointsAreLeftToRocksdb) {
    const Path base = Path({"seqs", "v2", "chunks", "hash"}).add(1).add("loss") / "val";
    for (std::int64_t at = 0; at < 20; ++at) {
        set((base / at).bytes(), number(1));
    }
    const std::string one = (base / 3).bytes(), all = base.bytes();
    const std::string gone = below(2) == 0 ? one : all;
    ASSERT_TRUE(
        database_->DeleteRange({}, database_->DefaultColumnFamily(), gone, gone + '\xFF').ok());
    rest();
    auto tables = at_rest();
    ASSERT_TRUE(tables);
    EXPECT_FALSE(sources::aim::read_metrics(*tables, "hash"));
}

INSTANTIATE_TEST_SUITE_P(Seeds, BesideRocksdb, testing::Range(0u, 6u));

}  // namespace
