// Any bytes as a Parquet file, a page, an index of a sealed file: decoders must answer or refuse,
// never read outside.
#include "codec/parquet/compression.h"
#include "codec/parquet/encodings.h"
#include "codec/parquet/page.h"
#include "codec/parquet/reader.h"
#include "seal/index.h"
#include "seal/level_blocks.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace taffrail;

parquet::Column column_of(unsigned detail) {
    const parquet::Type types[] = {parquet::Type::Int32, parquet::Type::Int64,
                                   parquet::Type::Double, parquet::Type::ByteArray};
    return {"c", types[detail % 4], static_cast<parquet::Shape>(detail / 4 % 3)};
}

/// The content of a page, packed here: few changed bytes would still be a zstd frame.
void read_page_of(unsigned detail, ByteSpan bytes) {
    ByteCursor from(bytes);
    parquet::PageHeader header;
    header.encoding = from.read<parquet::Encoding>();
    header.values = from.read<std::uint16_t>();
    const ByteSpan content = from.take(from.remaining());
    Bytes packed;
    parquet::append_zstd(packed, content);
    header.dictionary = detail / 16 % 2 != 0;
    header.uncompressed_bytes = static_cast<std::int32_t>(content.size());
    header.compressed_bytes = static_cast<std::int32_t>(packed.size());
    header.crc = parquet::crc32(packed);
    Bytes page;
    parquet::append_page_header(page, header);
    append(page, ByteSpan(packed));
    std::vector<std::string> dictionary = {"", "train", "loss/total"};
    parquet::DecodedColumn decoded;
    static_cast<void>(parquet::read_page(page, column_of(detail), {}, dictionary, decoded));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    const unsigned what = data[0] % 6;
    const unsigned detail = data[1];
    const ByteSpan bytes = std::as_bytes(std::span(data + 2, size - 2));
    switch (what) {
        case 0:
            if (const auto reader = parquet::Reader::open(bytes); reader.ok()) {
                for (std::size_t group = 0; group < reader->metadata().row_groups.size(); ++group) {
                    for (std::size_t column = 0; column < reader->metadata().columns.size();
                         ++column) {
                        static_cast<void>(reader->read_column(group, column));
                    }
                }
            }
            break;
        case 1: {
            std::vector<std::string> dictionary;
            parquet::DecodedColumn decoded;
            static_cast<void>(
                parquet::read_page(bytes, column_of(detail), {}, dictionary, decoded));
            break;
        }
        case 2:
            static_cast<void>(seal::decode_index(bytes, bytes.size()));
            break;
        case 3: {
            std::vector<std::int64_t> values(detail * 8);
            static_cast<void>(parquet::read_delta_packed(bytes, std::span<std::int64_t>(values)));
            std::vector<std::uint32_t> levels(detail * 8);
            static_cast<void>(parquet::read_rle(bytes, detail % 33, levels));
            break;
        }
        case 5:
            read_page_of(detail, bytes);
            break;
        default: {
            std::vector<std::int64_t> first(detail), last(detail);
            static_cast<void>(seal::decode_axis_nodes(bytes, std::span<std::int64_t>(first),
                                                      std::span<std::int64_t>(last)));
            std::vector<double> min(detail), max(detail), sum(detail), end(detail);
            static_cast<void>(seal::decode_value_nodes(bytes, {min, max, sum, end}));
            break;
        }
    }
    return 0;
}
