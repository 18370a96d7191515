// Any bytes as an event file: the reader ends, never reads outside, and accounts for every byte.
#include "io/files.h"
#include "sources/tensorboard/record_stream.h"

#include <cstdlib>
#include <set>

using namespace taffrail;
using namespace taffrail::formats::tensorboard;
using namespace taffrail::sources::tensorboard;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string path = "memory://fuzz/file";
    static const bool made = io::make_directories("memory://fuzz").ok();
    if (!made ||
        !io::write_file_atomically(path, {reinterpret_cast<const std::byte*>(data), size}, false)
             .ok()) {
        std::abort();
    }
    auto file = io::open(path, io::OpenMode::Read);
    Bytes buffer;
    RecordStream stream(**file, 0, size, size, false, buffer);
    ByteSpan payload;
    std::uint64_t covered = 0;
    std::set<std::uint64_t> begins;
    while (stream.next(payload)) {
        covered += payload.size() + kFrameBytes;
        begins.insert(stream.position() - payload.size() - kFrameBytes);
    }
    for (const DamagedRange& range : stream.damage()) {
        // A record proven by its payload alone is given and named.
        covered += begins.contains(range.offset) ? 0 : range.length;
    }
    if (covered != stream.position() || stream.position() > size) {
        std::abort();
    }
    return 0;
}
