// The C interface between the library and its run-time module for RocksDB folders. Plain types
// only: the two may come from different builds, and RocksDB's headers stay on the other side.
#pragma once

#include <cstddef>
#include <cstdint>

namespace taffrail::rocksdb {

inline constexpr std::uint32_t kModuleAbi = 1;
inline constexpr const char* kModuleFile = "libtaffrail-rocksdb.so";
inline constexpr const char* kModuleEntry = "taffrail_rocksdb_module";

struct Folder;  // an open database
struct Writes;  // changes that are not written yet

struct Span {
    const char* data;
    std::size_t size;
};

struct Module {
    std::uint32_t abi_version;
    /// Null on failure, with the reason in `error`. Read-only folders are those of others too: they
    /// may be written meanwhile.
    Folder* (*open)(const char* path, int is_read_only, char* error, std::size_t error_size);
    void (*close)(Folder* folder);
    Writes* (*begin)();
    void (*put)(Writes* writes, Span key, Span value);
    std::size_t (*bytes)(const Writes* writes);
    void (*drop)(Writes* writes);
    /// 0 = done; the writes are empty then.
    int (*write)(Folder* folder, Writes* writes, char* error, std::size_t error_size);
    /// Everything into sorted files, so that the log of writes is empty.
    int (*flush)(Folder* folder, char* error, std::size_t error_size);
    /// Keys in order, from those that begin with `prefix`; stops where `visit` gives 0. 0 = done.
    int (*scan)(Folder* folder, Span prefix, int (*visit)(void* to, Span key, Span value), void* to,
                char* error, std::size_t error_size);
};

}  // namespace taffrail::rocksdb
