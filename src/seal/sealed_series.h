// A series of a sealed file as rows for a cursor: pages are decoded as they come, one at a time in
// each column, and nothing else is kept.
#pragma once

#include "model/row_source.h"
#include "seal/sealed_file.h"

#include <memory>

namespace taffrail::seal {

std::unique_ptr<model::RowSource> make_rows(std::shared_ptr<SealedFile> file,
                                            const SeriesPlace& place);

/// The columns of the file that hold these columns of a series.
std::vector<std::size_t> file_columns(const SealedFile& file, const SeriesPlace& place,
                                      Columns columns);

}  // namespace taffrail::seal
