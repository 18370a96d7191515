// Whole files: what goes in comes out, and no damaged byte gets past.
#include "codec/parquet/reader.h"
#include "codec/parquet/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstring>
#include <utility>

namespace taffrail::parquet {
namespace {

using ::testing::HasSubstr;

struct Sample {
    std::vector<std::int64_t> step{};
    std::vector<std::int32_t> rank{};
    std::vector<double> loss{};
    std::vector<std::uint8_t> loss_valid{};
    std::vector<std::string> keys{};
    std::vector<std::uint64_t> offsets{0};
    std::vector<double> counts{};
};

Sample make_sample(std::size_t rows) {
    Sample sample;
    for (std::size_t i = 0; i < rows; ++i) {
        sample.step.push_back(static_cast<std::int64_t>(i) * 3 - 50);
        sample.rank.push_back(static_cast<std::int32_t>(i % 4));
        sample.loss_valid.push_back(i % 7 != 3);
        sample.loss.push_back(i % 11 == 0 ? std::nan("7") : std::sin(static_cast<double>(i)));
        sample.keys.push_back("key/" + std::to_string(i / 100));
        for (std::size_t j = 0; j < i % 3; ++j) {
            sample.counts.push_back(static_cast<double>(i + j));
        }
        sample.offsets.push_back(sample.counts.size());
    }
    return sample;
}

const std::vector<Column> kColumns{{"step", Type::Int64},
                                   {"rank", Type::Int32},
                                   {"loss", Type::Double, Shape::Optional},
                                   {"key", Type::ByteArray, Shape::Required, Meaning::Text},
                                   {"counts", Type::Double, Shape::List}};

Bytes write_sample(const Sample& sample, std::size_t groups, WriterOptions options) {
    Bytes file;
    Writer writer(
        kColumns,
        [&](ByteSpan bytes) -> Result<void> {
            append(file, bytes);
            return {};
        },
        options);
    const std::vector<std::string_view> keys(sample.keys.begin(), sample.keys.end());
    for (std::size_t group = 0; group < groups; ++group) {
        writer.begin_row_group(sample.step.size()).value();
        writer.write_column({.int64s = sample.step}).value();
        writer.write_column({.int32s = sample.rank}).value();
        writer.write_column({.doubles = sample.loss, .valid = sample.loss_valid}).value();
        writer.write_column({.texts = keys}).value();
        writer.write_column({.doubles = sample.counts, .offsets = sample.offsets}).value();
        writer.end_row_group().value();
    }
    const std::uint64_t at = writer.write_foreign(as_bytes("foreign bytes")).value();
    writer.add_key_value("where", std::to_string(at));
    writer.finish().value();
    EXPECT_EQ(writer.bytes_written(), file.size());
    return file;
}

void expect_sample(const Reader& reader, const Sample& sample) {
    for (std::size_t group = 0; group < reader.metadata().row_groups.size(); ++group) {
        EXPECT_EQ(reader.read_column(group, 0).value().int64s, sample.step);
        EXPECT_EQ(reader.read_column(group, 1).value().int32s, sample.rank);
        const DecodedColumn loss = reader.read_column(group, 2).value();
        ASSERT_EQ(loss.valid, sample.loss_valid);
        for (std::size_t i = 0; i < sample.loss.size(); ++i) {
            if (loss.valid[i] != 0) {
                ASSERT_EQ(std::memcmp(&loss.doubles[i], &sample.loss[i], 8), 0) << i;
            }
        }
        EXPECT_EQ(reader.read_column(group, 3).value().texts, sample.keys);
        const DecodedColumn counts = reader.read_column(group, 4).value();
        EXPECT_EQ(counts.doubles, sample.counts);
        EXPECT_EQ(counts.offsets, sample.offsets);
    }
}

TEST(ParquetFile, GivesBackEveryColumnInEachProfile) {
    for (const Profile profile : {Profile::Standard, Profile::Compat}) {
        for (const std::size_t rows : {1u, 10u, 1000u, 5000u}) {
            const Sample sample = make_sample(rows);
            const Bytes file = write_sample(sample, 2, {.profile = profile, .page_rows = 1024});
            const Reader reader = Reader::open(file).value();
            EXPECT_EQ(reader.metadata().rows, static_cast<std::int64_t>(2 * rows));
            EXPECT_EQ(reader.metadata().columns[2].shape, Shape::Optional);
            EXPECT_EQ(reader.metadata().columns[3].meaning, Meaning::Text);
            EXPECT_EQ(reader.column("counts"), 4u);
            expect_sample(reader, sample);
        }
    }
}

TEST(ParquetFile, KeepsForeignBytesWhereItSaysTheyAre) {
    const Bytes file = write_sample(make_sample(10), 1, {});
    const Reader reader = Reader::open(file).value();
    const std::size_t at = std::stoul(std::string(reader.key_value("where").value()));
    EXPECT_EQ(as_text(ByteSpan(file).subspan(at, 13)), "foreign bytes");
}

TEST(ParquetFile, IsTheSameEveryTime) {
    EXPECT_EQ(write_sample(make_sample(3000), 2, {}), write_sample(make_sample(3000), 2, {}));
}

TEST(ParquetFile, SurvivesEveryPrefixAndReportsIt) {
    const Bytes file = write_sample(make_sample(200), 1, {});
    for (std::size_t length = 0; length < file.size(); ++length) {
        EXPECT_FALSE(Reader::open(ByteSpan(file).first(length)).ok()) << length;
    }
}

TEST(ParquetFile, FindsEveryFlippedBitInThePages) {
    const Sample sample = make_sample(40);
    Bytes file = write_sample(sample, 1, {});
    const std::size_t pages_end =
        static_cast<std::size_t>(std::search(file.begin(), file.end(), as_bytes("foreign").begin(),
                                             as_bytes("foreign").end()) -
                                 file.begin());
    for (std::size_t bit = 8 * 4; bit < 8 * pages_end; ++bit) {
        file[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        const Reader reader = Reader::open(file).value();
        bool noticed = false;
        for (std::size_t column = 0; column < kColumns.size(); ++column) {
            const auto decoded = reader.read_column(0, column);
            noticed =
                noticed || !decoded.ok() ||
                std::max({decoded->doubles.size(), decoded->int64s.size(), decoded->int32s.size(),
                          decoded->texts.size()}) != (column == 4 ? sample.counts.size() : 40u);
        }
        // A flip in the level fields of a page header changes nothing that is read; everything else
        // must be noticed.
        if (!noticed) {
            expect_sample(reader, sample);
        }
        file[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    }
}

TEST(ParquetFile, SurvivesEveryFlippedBitInTheFooter) {
    Bytes file = write_sample(make_sample(40), 1, {});
    for (std::size_t bit = 8 * (file.size() - 400); bit < 8 * file.size(); ++bit) {
        file[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
        if (const auto reader = Reader::open(file); reader.ok()) {
            for (std::size_t group = 0; group < reader->metadata().row_groups.size(); ++group) {
                for (std::size_t column = 0; column < reader->metadata().columns.size(); ++column) {
                    static_cast<void>(reader->read_column(group, column));
                }
            }
        }
        file[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    }
}

TEST(ParquetFile, SaysWhatIsWrongWithAStrangersFile) {
    EXPECT_THAT(Reader::open(as_bytes("hello, this is no such file")).error().message,
                HasSubstr("Parquet"));
}

// The row group waits as pages: what is written must not depend on it.
TEST(ParquetFile, PagesMadeBeforeMakeTheSameFileAsWholeColumns) {
    constexpr std::size_t kRows = kPageRows + 1000;
    std::vector<std::int64_t> step(kRows);
    std::vector<double> loss(kRows), epoch(kRows);
    std::vector<std::uint8_t> valid(kRows), never(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
        step[i] = static_cast<std::int64_t>(i * i % 1013);
        loss[i] = std::sin(static_cast<double>(i));
        valid[i] = i % 5 != 0;
    }
    const std::vector<Column> columns{{"step", Type::Int64},
                                      {"loss", Type::Double, Shape::Optional},
                                      {"epoch", Type::Double, Shape::Optional}};
    const std::vector<ColumnValues> values{
        {.int64s = step}, {.doubles = loss, .valid = valid}, {.doubles = epoch, .valid = never}};
    const auto write = [&](bool as_pages) {
        Bytes file;
        Writer writer(columns, [&](ByteSpan bytes) -> Result<void> {
            append(file, bytes);
            return {};
        });
        writer.begin_row_group(kRows).value();
        for (std::size_t column = 0; column < columns.size(); ++column) {
            if (!as_pages) {
                writer.write_column(values[column]).value();
                continue;
            }
            ColumnPages pages;
            for (const auto& [first, last] :
                 {std::pair(std::size_t{0}, kPageRows), std::pair(kPageRows, kRows)}) {
                pages.add(columns[column], slice(columns[column], values[column], first, last),
                          last - first, Profile::Standard);
            }
            const auto places = writer.write_pages(pages).value();
            EXPECT_EQ(places.size(), 2u);
            EXPECT_EQ(places[1].rows, 1000u);
        }
        writer.end_row_group().value();
        writer.finish().value();
        return file;
    };
    const Bytes file = write(true);
    EXPECT_EQ(file, write(false));
    const Reader reader = Reader::open(file).value();
    EXPECT_EQ(reader.read_column(0, 2).value().valid, never);
    std::vector<double> read;
    std::size_t pages = 0;
    ASSERT_TRUE(reader
                    .for_each_page(0, 1,
                                   [&](const DecodedColumn& page) {
                                       read.insert(read.end(), page.doubles.begin(),
                                                   page.doubles.end());
                                       ++pages;
                                   })
                    .ok());
    EXPECT_EQ(read, reader.read_column(0, 1).value().doubles);
    EXPECT_EQ(pages, 2u);
}

}  // namespace
}  // namespace taffrail::parquet
