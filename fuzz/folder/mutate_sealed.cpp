// What a sealed file says of itself: index, footer, pages.
#include "mutate_parts.h"
#include "seal/index.h"

#include <algorithm>
#include <optional>

namespace taffrail::fuzzing {
namespace {

// No file of a test is larger: places beyond are refused by the reader too.
constexpr std::uint64_t kFileBytes = 1u << 20;

void mutate_axis(seal::AxisIndex& axis, Chance& chance) {
    switch (chance.below(4)) {
        case 0:
            axis.present = !axis.present;
            return;
        case 1:
            axis.rising = !axis.rising;
            return;
        case 2:
            chance.number(axis.first_bits);
            return;
        default:
            chance.number(axis.last_bits);
    }
}

void mutate_levels(seal::LevelBlocks& levels, Chance& chance) {
    if (levels.empty() || chance.one_in(4)) {
        levels.resize(chance.below(8));
        return;
    }
    auto& level = chance.pick(levels);
    if (level.empty() || chance.one_in(4)) {
        level.resize(chance.below(4));
    } else {
        seal::BlockPlace& place = chance.pick(level);
        chance.one_in(2) ? chance.number(place.offset) : chance.number(place.bytes);
    }
}

void mutate_series(seal::SeriesEntry& series, Chance& chance) {
    switch (chance.below(5)) {
        case 0:
            chance.number(series.column);
            return;
        case 1:
            chance.number(series.summary.count);
            return;
        case 2:
            mutate_levels(series.levels, chance);
            return;
        case 3:
            series.key += '/';
            return;
        default:
            series.specials.resize(chance.below(4));
    }
}

void mutate_section(seal::Section& section, Chance& chance) {
    switch (chance.below(6)) {
        case 0:
            chance.number(section.first_row);
            return;
        case 1:
            chance.number(section.rows);
            return;
        case 2:
            mutate_axis(section.axes[chance.below(seal::kAxes)], chance);
            return;
        case 3:
            if (!section.attempts.empty()) {
                chance.number(chance.pick(section.attempts).first_step);
            }
            return;
        default:
            if (!section.series.empty()) {
                mutate_series(chance.pick(section.series), chance);
            }
    }
}

/// Where texts with their lengths in front begin that reach to the very end: behind the levels.
std::optional<std::size_t> first_text(ByteSpan page) {
    for (std::size_t begin = 0; begin < std::min<std::size_t>(page.size(), 64); ++begin) {
        ByteCursor from(page.subspan(begin));
        while (from.ok() && from.remaining() > 0) {
            (void)from.take(from.read<std::uint32_t>());
        }
        if (from.ok()) {
            return begin;
        }
    }
    return std::nullopt;
}

}  // namespace

void mutate_page(Bytes& page, Chance& chance) {
    const auto begin = first_text(page);
    if (!begin || chance.one_in(3)) {
        chance.bytes(page, page.size() + 64);
        return;
    }
    std::vector<Bytes> texts;
    for (ByteCursor from(ByteSpan(page).subspan(*begin)); from.remaining() > 0;) {
        const ByteSpan text = from.take(from.read<std::uint32_t>());
        texts.emplace_back(text.begin(), text.end());
    }
    mutate_message(chance.pick(texts), chance);
    page.resize(*begin);
    for (const Bytes& text : texts) {
        append(page, static_cast<std::uint32_t>(text.size()));
        append(page, ByteSpan(text));
    }
}

void mutate_index(Bytes& bytes, Chance& chance) {
    auto index = seal::decode_index(bytes, kFileBytes);
    if (!index.ok() || chance.one_in(5)) {
        chance.bytes(bytes, bytes.size() + 64);
        return;
    }
    switch (chance.below(8)) {
        case 0:
            if (!index->pages.empty()) {
                index->pages.resize(chance.below(index->pages.size() + 2));
            }
            break;
        case 1:
            if (!index->pages.empty() && !chance.pick(index->pages).empty()) {
                for (auto& page : chance.pick(index->pages)) {
                    chance.one_in(2) ? chance.number(page.rows) : chance.number(page.bytes);
                    break;
                }
            }
            break;
        case 2:
            chance.number(index->rows);
            break;
        case 3:
            if (!index->writers.empty()) {
                chance.number(chance.pick(index->writers).rows);
            }
            break;
        case 4:
            if (!index->phases.empty()) {
                chance.number(chance.pick(index->phases).rows);
            }
            break;
        default:
            if (!index->sections.empty()) {
                mutate_section(chance.pick(index->sections), chance);
            }
    }
    bytes = seal::encode_index(*index);
}

void mutate_footer(Bytes& bytes, Chance& chance) {
    auto metadata = parquet::decode_metadata(bytes);
    if (!metadata.ok() || metadata->row_groups.empty() || chance.one_in(4)) {
        chance.bytes(bytes, bytes.size() + 64);
        return;
    }
    parquet::RowGroup& group = chance.pick(metadata->row_groups);
    switch (chance.below(6)) {
        case 0:
            chance.number(group.rows);
            break;
        case 1:
            chance.number(metadata->rows);
            break;
        case 2:
            if (!metadata->columns.empty()) {
                parquet::Column& column = chance.pick(metadata->columns);
                column.type = static_cast<parquet::Type>(chance.below(8));
                column.shape = static_cast<parquet::Shape>(chance.below(3));
            }
            break;
        case 3:
            metadata->row_groups.push_back(group);
            break;
        default:
            if (!group.columns.empty()) {
                parquet::ColumnChunk& chunk = chance.pick(group.columns);
                switch (chance.below(4)) {
                    case 0:
                        chance.number(chunk.values);
                        break;
                    case 1:
                        chance.number(chunk.compressed_bytes);
                        break;
                    case 2:
                        chance.number(chunk.data_page_offset);
                        break;
                    default:
                        chance.number(chunk.dictionary_page_offset);
                }
            }
    }
    bytes = parquet::encode(*metadata);
}

}  // namespace taffrail::fuzzing
