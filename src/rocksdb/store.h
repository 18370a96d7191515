// A folder of RocksDB, by the module that is loaded on first use. One thread at a time.
#pragma once

#include <taffrail/result.h>

#include "base/bytes.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace taffrail::rocksdb {

struct Folder;
struct Module;
struct Writes;

enum class Access : std::uint8_t { Read, Write };

class Store {
  public:
    /// Fails with Unsupported and the package to install where there is no module.
    static Result<std::unique_ptr<Store>> open(const std::string& path, Access access);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    /// Gathers; write_out() puts all of it into the folder at once.
    void put(std::string_view key, std::string_view value);
    [[nodiscard]] std::size_t pending_bytes() const noexcept;
    Result<void> write_out();
    /// write_out(), and everything into sorted files.
    Result<void> flush();

    /// Every key that begins with `prefix`, in order; `visit` stops it by false.
    Result<void> scan(
        std::string_view prefix,
        const std::function<bool(std::string_view key, std::string_view value)>& visit);

  private:
    Store(const Module& module, Folder* folder, Writes* writes)
        : module_(module), folder_(folder), writes_(writes) {}

    const Module& module_;
    Folder* folder_;
    Writes* writes_;
};

/// Whether the module is there; else why not and what to do.
Result<void> available();

}  // namespace taffrail::rocksdb
