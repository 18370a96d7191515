#include "codec/parquet/column_pages.h"

namespace taffrail::parquet {

void ColumnPages::add(const Column& column, const ColumnValues& values, std::size_t rows,
                      Profile profile) {
    thread_local Bytes room;  // the size is known when it is written; what is kept fits
    room.clear();
    const PageResult result = append_data_page(room, column, values, rows, profile);
    pages_.push_back({Bytes(room.begin(), room.end()), result, rows});
    bytes_ += room.size();
}

void ColumnPages::clear() {
    pages_.clear();
    bytes_ = 0;
}

}  // namespace taffrail::parquet
