// A file of framed records (length-prefixed by two bytes in the input) read as a run, whole and in
// pieces: both agree.
#include "io/files.h"
#include "sources/tensorboard/loader.h"

#include <cstdlib>

using namespace taffrail;
using namespace taffrail::formats::tensorboard;
using namespace taffrail::sources::tensorboard;

namespace {

std::uint64_t points_of(const RecordedRun& run) {
    std::uint64_t points = 0;
    for (const KeyInfo& key : run.keys()) {
        points += key.count;
        if (key.kind == Kind::Scalar) {
            points += run.points(key.key).value().size();
        } else {
            points += run.entries(key.key).value().size();
        }
    }
    return points;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes file;
    for (std::size_t at = 0; at + 2 <= size;) {
        const std::size_t length =
            std::min<std::size_t>(data[at] + 256u * (data[at + 1] & 3u), size - at - 2);
        const bool junk = (data[at + 1] & 0x80) != 0;
        const ByteSpan bytes{reinterpret_cast<const std::byte*>(data + at + 2), length};
        if (junk) {
            append(file, bytes);
        } else {
            append_record(file, bytes);
        }
        at += 2 + length;
    }
    static const bool made = io::make_directories("memory://fuzz-run").ok();
    const std::string path = "memory://fuzz-run/events.out.tfevents.1";
    if (!made || !io::write_file_atomically(path, file, false).ok()) {
        std::abort();
    }
    std::uint64_t seen[2] = {0, 0};
    for (int pieces = 0; pieces < 2; ++pieces) {
        auto run = std::make_shared<TensorboardRun>("r", "r", "memory://fuzz-run");
        run->set_files({path}, {});
        auto tasks = run->plan(pieces == 0 ? UINT64_MAX : 64);
        for (auto& task : tasks) {
            TensorboardRun::perform(task);
        }
        run->finish(std::move(tasks));
        seen[pieces] = points_of(*run);
    }
    if (seen[0] != seen[1]) {
        std::abort();
    }
    return 0;
}
