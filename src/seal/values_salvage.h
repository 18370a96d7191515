// What is left of a damaged table of values: pages are read one by one, and where the footer is
// lost they are found without it.
#pragma once

#include "base/bytes.h"
#include "codec/parquet/page.h"
#include "seal/damage_notes.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace taffrail::seal {

/// How the table is cut; the writer and the salvager must agree.
inline constexpr std::size_t kValuesPageRows = 1024;
inline constexpr std::size_t kValuesRowGroupRows = 16 * 1024;

/// A column of the table that a reader wants.
struct WantedColumn {
    std::size_t column = 0;
    bool needed = true;  ///< a row without it means nothing; else the row stays with a default
};

// Attempt and rank place a value among the others; without an epoch, a phase, a route or the places
// of its blobs (the packs know those by their hash) it is still the value.
inline constexpr WantedColumn kWantedOfValues[] = {{0},  {1},         {2, false}, {3, false}, {4},
                                                   {5},  {6},         {7},        {8, false}, {9},
                                                   {11}, {12, false}, {19},       {20, false}};
inline constexpr std::size_t kMetadataColumn = 19, kBlobsColumn = 20;

struct SalvagedValues {
    std::vector<parquet::DecodedColumn> columns;  ///< by number; only wanted ones are filled
    std::vector<std::uint8_t> lost;               ///< one a row
};

/// `file` is the whole file, `schema` its columns, `rows` what the manifest counts.
SalvagedValues salvage_values(ByteSpan file, const std::string& path,
                              std::span<const parquet::Column> schema,
                              std::span<const WantedColumn> wanted, std::uint64_t rows,
                              DamageNotes& notes);

}  // namespace taffrail::seal
