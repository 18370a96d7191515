#include "seal/values_salvage.h"

#include "codec/parquet/page_walk.h"
#include "codec/parquet/reader.h"

#include <algorithm>
#include <optional>

namespace taffrail::seal {
namespace {

/// One column of one row group: its dictionary, and its data pages in order of rows.
struct Chunk {
    std::optional<parquet::FoundPage> dictionary;
    std::vector<parquet::FoundPage> pages;
    std::vector<parquet::Encoding> encodings;  ///< the footer's; empty = unknown
};

struct Group {
    std::size_t rows = 0;
    std::vector<Chunk> columns;
};

std::size_t page_count(std::size_t rows) {
    return (rows + kValuesPageRows - 1) / kValuesPageRows;
}

/// Pages of a chunk of `rows` rows; those that are not to be had are left damaged. Offsets count
/// from the beginning of the file.
Chunk divide(ByteSpan file, std::size_t start, std::size_t bytes, std::size_t rows) {
    Chunk chunk;
    std::vector<parquet::FoundPage> found = parquet::walk_pages(file.subspan(start, bytes));
    for (parquet::FoundPage& page : found) {
        page.offset += start;
    }
    const std::size_t expected = page_count(rows);
    if (!found.empty() && ((found[0].whole && found[0].header.dictionary) ||
                           (!found[0].whole && found.size() == expected + 1))) {
        chunk.dictionary = found[0];
        found.erase(found.begin());
    }
    if (found.size() == expected) {
        chunk.pages = std::move(found);
        return chunk;
    }
    // Headers are damaged, so that pages ran together: those before and behind are known by their
    // distance from the ends.
    parquet::FoundPage damaged{start, bytes, false, {}};
    const auto broken = std::find_if(found.begin(), found.end(),
                                     [](const parquet::FoundPage& page) { return !page.whole; });
    if (broken != found.end()) {
        damaged = *broken;
    }
    chunk.pages.assign(expected, damaged);
    if (found.size() < expected) {
        std::copy(found.begin(), broken, chunk.pages.begin());
        std::copy_backward(broken == found.end() ? broken : broken + 1, found.end(),
                           chunk.pages.end());
    }
    return chunk;
}

std::vector<Group> groups_by_footer(ByteSpan file, std::span<const parquet::Column> schema) {
    std::vector<Group> groups;
    const auto reader = parquet::Reader::open(file);
    if (!reader.ok() || reader->metadata().columns.size() != schema.size()) {
        return groups;
    }
    for (const parquet::RowGroup& from : reader->metadata().row_groups) {
        if (from.columns.size() != schema.size() || from.rows < 0 ||
            static_cast<std::uint64_t>(from.rows) > kValuesRowGroupRows) {
            return {};
        }
        Group& group = groups.emplace_back();
        group.rows = static_cast<std::size_t>(from.rows);
        for (const parquet::ColumnChunk& chunk : from.columns) {
            const std::int64_t start = chunk.dictionary_page_offset > 0
                                           ? chunk.dictionary_page_offset
                                           : chunk.data_page_offset;
            const auto size = static_cast<std::int64_t>(file.size());
            if (start < 4 || start > size || chunk.compressed_bytes < 0 ||
                chunk.compressed_bytes > size - start) {
                return {};
            }
            group.columns.push_back(divide(file, static_cast<std::size_t>(start),
                                           static_cast<std::size_t>(chunk.compressed_bytes),
                                           group.rows));
            group.columns.back().encodings = chunk.encodings;
        }
    }
    return groups;
}

/// Without a footer: pages follow each other from byte 4 on, and the cut of the table is known.
std::vector<Group> groups_by_pages(ByteSpan file, std::span<const parquet::Column> schema,
                                   std::uint64_t rows) {
    std::vector<Group> groups;
    const std::vector<parquet::FoundPage> found = parquet::walk_pages(file.subspan(4));
    std::size_t at = 0;
    for (std::uint64_t done = 0; done < rows;) {
        Group& group = groups.emplace_back();
        group.rows =
            static_cast<std::size_t>(std::min<std::uint64_t>(kValuesRowGroupRows, rows - done));
        done += group.rows;
        for (std::size_t column = 0; column < schema.size(); ++column) {
            Chunk& chunk = group.columns.emplace_back();
            const auto take = [&]() -> std::optional<parquet::FoundPage> {
                if (at == found.size() || !found[at].whole) {
                    return std::nullopt;
                }
                parquet::FoundPage page = found[at++];
                page.offset += 4;
                return page;
            };
            if (at < found.size() && found[at].whole && found[at].header.dictionary) {
                chunk.dictionary = take();
            }
            for (std::size_t i = 0; i < page_count(group.rows); ++i) {
                auto page = take();
                if (!page) {
                    return {};
                }
                chunk.pages.push_back(*page);
            }
        }
    }
    return groups;
}

class Salvage {
  public:
    Salvage(ByteSpan file, const std::string& path, std::span<const parquet::Column> schema)
        : file_(file), path_(path), schema_(schema) {
        values.columns.resize(schema.size());
    }

    void take(const Group& group, std::span<const WantedColumn> wanted) {
        const std::size_t first = values.lost.size();
        values.lost.resize(first + group.rows);
        for (const WantedColumn& column : wanted) {
            take_column(group, column, first);
        }
    }

    [[nodiscard]] std::size_t lost() const {
        return static_cast<std::size_t>(
            std::count(values.lost.begin(), values.lost.end(), std::uint8_t{1}));
    }

    SalvagedValues values;
    std::vector<Damage> damage;

  private:
    void take_column(const Group& group, const WantedColumn& wanted, std::size_t first_row) {
        const Chunk& chunk = group.columns[wanted.column];
        const parquet::Column& schema = schema_[wanted.column];
        std::vector<std::string> dictionary;
        parquet::DecodedColumn scratch;
        bool readable = true;
        if (chunk.dictionary) {
            readable =
                chunk.dictionary->whole &&
                parquet::read_page(bytes_of(*chunk.dictionary), schema, {}, dictionary, scratch)
                    .ok();
            if (!readable) {
                note(*chunk.dictionary, schema, first_row, first_row + group.rows, wanted.needed);
            }
        }
        for (std::size_t i = 0; i < chunk.pages.size(); ++i) {
            const std::size_t rows = std::min(kValuesPageRows, group.rows - i * kValuesPageRows);
            const std::size_t row = first_row + i * kValuesPageRows;
            parquet::DecodedColumn page;
            const auto taken = parquet::read_page(bytes_of(chunk.pages[i]), schema, chunk.encodings,
                                                  dictionary, page);
            if (readable && chunk.pages[i].whole && taken.ok() && taken->values == rows) {
                append(schema, page, values.columns[wanted.column]);
                continue;
            }
            if (readable) {
                note(chunk.pages[i], schema, row, row + rows, wanted.needed);
            }
            fill(schema, rows, values.columns[wanted.column]);
            if (wanted.needed) {
                std::fill_n(values.lost.begin() + static_cast<std::ptrdiff_t>(row), rows,
                            std::uint8_t{1});
            }
        }
    }

    [[nodiscard]] ByteSpan bytes_of(const parquet::FoundPage& page) const {
        return file_.subspan(page.offset, page.bytes);
    }

    void note(const parquet::FoundPage& page, const parquet::Column& schema, std::size_t first,
              std::size_t end, bool needed) {
        damage.push_back({path_, page.offset, page.bytes, 0, 0,
                          "a page of '" + schema.name + "' cannot be read: rows " +
                              std::to_string(first) + " to " + std::to_string(end - 1) +
                              " of the table " + (needed ? "are missing" : "lack it")});
    }

    static void append(const parquet::Column& schema, parquet::DecodedColumn& from,
                       parquet::DecodedColumn& to) {
        to.doubles.insert(to.doubles.end(), from.doubles.begin(), from.doubles.end());
        to.int64s.insert(to.int64s.end(), from.int64s.begin(), from.int64s.end());
        to.int32s.insert(to.int32s.end(), from.int32s.begin(), from.int32s.end());
        std::move(from.texts.begin(), from.texts.end(), std::back_inserter(to.texts));
        if (schema.shape == parquet::Shape::Optional) {
            to.valid.insert(to.valid.end(), from.valid.begin(), from.valid.end());
        }
    }

    /// Rows without this column.
    static void fill(const parquet::Column& schema, std::size_t rows, parquet::DecodedColumn& to) {
        parquet::DecodedColumn none;
        switch (schema.type) {
            case parquet::Type::Double:
                none.doubles.resize(rows);
                break;
            case parquet::Type::Int64:
                none.int64s.resize(rows);
                break;
            case parquet::Type::Int32:
                none.int32s.resize(rows);
                break;
            case parquet::Type::ByteArray:
                none.texts.resize(rows);
                break;
        }
        none.valid.resize(rows);
        append(schema, none, to);
    }

    ByteSpan file_;
    const std::string& path_;
    std::span<const parquet::Column> schema_;
};

}  // namespace

SalvagedValues salvage_values(ByteSpan file, const std::string& path,
                              std::span<const parquet::Column> schema,
                              std::span<const WantedColumn> wanted, std::uint64_t rows,
                              DamageNotes& notes) {
    std::optional<Salvage> best;
    const auto attempt = [&](const std::vector<Group>& groups) {
        if (groups.empty()) {
            return;
        }
        Salvage salvage(file, path, schema);
        for (const Group& group : groups) {
            salvage.take(group, wanted);
        }
        if (!best || salvage.lost() < best->lost()) {
            best.emplace(std::move(salvage));
        }
    };
    attempt(groups_by_footer(file, schema));
    if ((!best || best->lost() > 0) && file.size() > 4) {
        attempt(groups_by_pages(file, schema, rows));
    }
    if (!best) {
        notes.add({path, 0, file.size(), 0, 0,
                   "neither its footer nor its pages can be made sense of: " +
                       std::to_string(rows) + " values are missing"});
        SalvagedValues none;  // of every column nothing, but every column
        none.columns.resize(schema.size());
        return none;
    }
    if (best->damage.empty()) {
        notes.add({path, 0, file.size(), 0, 0,
                   "its footer is damaged; all values were found without it"});
    }
    for (Damage& damage : best->damage) {
        notes.add(std::move(damage));
    }
    return std::move(best->values);
}

}  // namespace taffrail::seal
