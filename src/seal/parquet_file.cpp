#include "seal/parquet_file.h"

#include "base/try.h"

#include <string>

namespace taffrail::seal {

Result<parquet::Reader> open_parquet(io::File& file, std::uint64_t bytes) {
    return parquet::Reader::open(
        [&file](std::uint64_t offset, std::uint64_t size) -> Result<Bytes> {
            Bytes read(static_cast<std::size_t>(size));
            TAFFRAIL_ASSIGN(const std::size_t got, file.read_at(offset, read));
            read.resize(got);
            return read;
        },
        bytes);
}

Error read_back_error(std::string_view path, std::string_view what) {
    return {ErrorCode::Corrupt, "sealing " + std::string(path) + ": " + std::string(what) +
                                    " as written; the live logs stay: check the disk"};
}

}  // namespace taffrail::seal
