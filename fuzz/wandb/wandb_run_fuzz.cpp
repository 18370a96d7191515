// Records (length-prefixed by two bytes in the input) in a valid container, read as a run and asked
// for everything it has.
#include "codec/formats/wandb/framing.h"
#include "io/files.h"
#include "sources/wandb/catalogue.h"

#include <cstdlib>

using namespace taffrail;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes file;
    for (const std::uint8_t byte : formats::wandb::kFileHeader) {
        file.push_back(static_cast<std::byte>(byte));
    }
    for (std::size_t at = 0; at + 2 <= size;) {
        const std::size_t length =
            std::min<std::size_t>(data[at] + 256u * data[at + 1], size - at - 2);
        formats::wandb::append_record(file, 0,
                                      {reinterpret_cast<const std::byte*>(data + at + 2), length});
        at += 2 + length;
    }
    static const bool made = io::make_directories("memory://wandb/run/files").ok();
    const std::string path = "memory://wandb/run/run-x.wandb";
    if (!made || !io::write_file_atomically(path, file, false).ok()) {
        std::abort();
    }
    const auto catalogue = sources::wandb::open_runs("memory://wandb");
    if (!catalogue.ok()) {
        std::abort();
    }
    for (const RunInfo& info : (*catalogue)->runs()) {
        const auto run = (*catalogue)->run(info.id).value();
        for (const KeyInfo& key : run->keys()) {
            if (key.kind == Kind::Scalar) {
                if (run->points(key.key).value().size() != key.count) {
                    std::abort();
                }
                static_cast<void>(run->bins(key.key, {.width = 16}));
            } else {
                static_cast<void>(run->entries(key.key));
            }
        }
        static_cast<void>(run->for_each([](const Record&) { return true; }));
        static_cast<void>(run->console(0, 100));
        static_cast<void>(run->environment());
        static_cast<void>(run->damage());
    }
    return 0;
}
