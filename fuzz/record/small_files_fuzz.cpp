// Files that are read whole: names of a writer, cursors of sinks, the kept list of runs.
#include "io/files.h"
#include "model/run_cache.h"
#include "record/cursor.h"
#include "record/definitions.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace taffrail;
    static const bool made = io::make_directories("memory://fuzz-small").ok();
    const std::string path = "memory://fuzz-small/file";
    const ByteSpan bytes(reinterpret_cast<const std::byte*>(data), size);
    if (!made || !io::write_file_atomically(path, bytes, false).ok()) {
        std::abort();
    }
    (void)record::read_definitions(path);
    (void)record::read_cursor(path);
    (void)model::read_run_cache(path);
    return 0;
}
