// Writes sample files for readers that nobody here wrote: parquet_sample FOLDER.
// tests/interop/parquet reads them back.
#include "codec/parquet/writer.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace taffrail;
using namespace taffrail::parquet;

/// value(i) is simple enough to say again in Python.
double loss_at(std::size_t i) {
    switch (i % 1000) {
        case 7:
            return std::numeric_limits<double>::quiet_NaN();
        case 8:
            return std::numeric_limits<double>::infinity();
        case 9:
            return -std::numeric_limits<double>::infinity();
        case 10:
            return -0.0;
        case 11:
            return 5e-324;
        default:
            return static_cast<double>(static_cast<float>(static_cast<double>(i % 977) / 977.0));
    }
}

void write(const std::string& path, Profile profile, std::size_t rows, std::size_t group_rows) {
    std::ofstream out(path, std::ios::binary);
    Writer writer({{"step", Type::Int64},
                   {"time", Type::Int64, Shape::Required, Meaning::TimestampNs},
                   {"writer", Type::Int64, Shape::Required, Meaning::Unsigned},
                   {"rank", Type::Int32},
                   {"key", Type::ByteArray, Shape::Required, Meaning::Text},
                   {"text", Type::ByteArray, Shape::Optional, Meaning::Text},
                   {"loss", Type::Double, Shape::Optional},
                   {"counts", Type::Double, Shape::List}},
                  [&](ByteSpan bytes) -> Result<void> {
                      out.write(reinterpret_cast<const char*>(bytes.data()),
                                static_cast<std::streamsize>(bytes.size()));
                      return {};
                  },
                  {.profile = profile});
    for (std::size_t first = 0; first < rows; first += group_rows) {
        const std::size_t last = std::min(rows, first + group_rows);
        std::vector<std::int64_t> step, time, id;
        std::vector<std::int32_t> rank;
        std::vector<std::string> keys, texts;
        std::vector<double> loss, counts;
        std::vector<std::uint8_t> text_valid, loss_valid;
        std::vector<std::uint64_t> offsets{0};
        for (std::size_t i = first; i < last; ++i) {
            step.push_back(static_cast<std::int64_t>(i) * 10 - 1000);
            time.push_back(1'700'000'000'000'000'000 +
                           static_cast<std::int64_t>(i * 1'000'003 + (i * i) % 997));
            id.push_back(-1 - static_cast<std::int64_t>(i % 3));
            rank.push_back(static_cast<std::int32_t>(i % 8) - 1);
            keys.push_back("key/" + std::to_string(i % 50) + "/\xF0\x9F\x9A\xA2");
            texts.push_back("text " + std::to_string(i));
            text_valid.push_back(i % 4 != 0);
            loss.push_back(loss_at(i));
            loss_valid.push_back(i % 13 != 5);
            for (std::size_t j = 0; j < i % 4; ++j) {
                counts.push_back(static_cast<double>(i * j));
            }
            offsets.push_back(counts.size());
        }
        const std::vector<std::string_view> key_views(keys.begin(), keys.end()),
            text_views(texts.begin(), texts.end());
        writer.begin_row_group(last - first).value();
        writer.write_column({.int64s = step}).value();
        writer.write_column({.int64s = time}).value();
        writer.write_column({.int64s = id}).value();
        writer.write_column({.int32s = rank}).value();
        writer.write_column({.texts = key_views}).value();
        writer.write_column({.texts = text_views, .valid = text_valid}).value();
        writer.write_column({.doubles = loss, .valid = loss_valid}).value();
        writer.write_column({.doubles = counts, .offsets = offsets}).value();
        writer.end_row_group().value();
    }
    const Bytes foreign(3 << 20, std::byte{0xAB});
    writer.write_foreign(foreign).value();
    writer.add_key_value("taffrail.pyramid", "0");
    writer.finish().value();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: parquet_sample FOLDER\n", stderr);
        return 2;
    }
    const std::string folder = argv[1];
    write(folder + "/standard.parquet", Profile::Standard, 100'000, 30'000);
    write(folder + "/compat.parquet", Profile::Compat, 100'000, 30'000);
    write(folder + "/one_row.parquet", Profile::Standard, 1, 10);
    write(folder + "/empty.parquet", Profile::Standard, 0, 10);
    return 0;
}
