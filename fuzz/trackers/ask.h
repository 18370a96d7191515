// Asks a run that was read from fuzzed bytes for everything it has.
#pragma once

#include "io/files.h"
#include "model/gathered_catalogue.h"

#include <cstdlib>
#include <string>
#include <vector>

namespace taffrail::fuzz {

inline ByteSpan input(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const std::byte*>(data), size};
}

/// A file in memory; its folders are made once.
inline void put(const std::string& path, ByteSpan bytes) {
    if (!io::make_directories(io::parent(path)).ok() ||
        !io::write_file_atomically(path, bytes, false).ok()) {
        std::abort();
    }
}

inline void ask_all(std::function<std::vector<model::FoundRun>()> find) {
    model::GatheredCatalogue catalogue(std::move(find));
    if (!catalogue.refresh().ok()) {
        std::abort();
    }
    for (const RunInfo& info : catalogue.runs()) {
        const auto run = catalogue.run(info.id).value();
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
}

}  // namespace taffrail::fuzz
