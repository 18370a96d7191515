// Any bytes as a Parquet file of neptune-exporter: read as a run where its columns say so, and
// every column of any other schema.
#include "ask.h"
#include "codec/parquet/foreign_file.h"
#include "sources/neptune/discovery.h"

using namespace taffrail;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ByteSpan bytes = fuzz::input(data, size);
    const auto file = parquet::ForeignFile::open(
        [bytes](std::uint64_t offset, std::uint64_t count) -> Result<Bytes> {
            if (offset > bytes.size() || count > bytes.size() - offset) {
                return Error{ErrorCode::Corrupt, "outside"};
            }
            const ByteSpan part = bytes.subspan(offset, count);
            return Bytes(part.begin(), part.end());
        },
        bytes.size());
    if (!file.ok()) {
        return 0;
    }
    for (std::size_t group = 0; group < file->row_groups() && group < 4; ++group) {
        for (std::size_t leaf = 0; leaf < file->leaves().size() && leaf < 64; ++leaf) {
            const auto column = file->read(group, leaf);
            if (!column.ok()) {
                continue;
            }
            for (const std::uint32_t word : column->words) {
                if (word >= column->pool.size()) {
                    std::abort();
                }
            }
        }
    }
    fuzz::put("memory://export/data/project/run_part_0.parquet", bytes);
    fuzz::ask_all([] { return sources::neptune::find_runs("memory://export"); });
    return 0;
}
