#include "rocksdb/store.h"

#include "base/module_file.h"
#include "base/try.h"
#include "rocksdb/module.h"

#include <array>

namespace taffrail::rocksdb {
namespace {

struct Loaded {
    const Module* functions = nullptr;
    std::string problem;
};

Loaded load_module() {
    Loaded loaded;
    const ModuleFile file = load_module_file("TAFFRAIL_ROCKSDB_MODULE", kModuleFile, kModuleEntry);
    if (file.entry == nullptr) {
        loaded.problem =
            "Aim repositories need RocksDB, and its module is not here: install librocksdb7.8 "
            "(librocksdb-dev to build it, then build again), or name one by "
            "TAFFRAIL_ROCKSDB_MODULE" +
            (file.problem.empty() ? "" : " (" + file.problem + ")");
        return loaded;
    }
    const auto entry = reinterpret_cast<const Module* (*)()>(file.entry);
    const Module* functions = entry();
    if (functions == nullptr || functions->abi_version != kModuleAbi) {
        loaded.problem = "the RocksDB module found belongs to another version of Taffrail";
    } else {
        loaded.functions = functions;
    }
    return loaded;
}

const Loaded& loaded_module() {
    static const Loaded loaded = load_module();
    return loaded;
}

Error failed(const std::array<char, 512>& text) {
    return {ErrorCode::Io, "RocksDB: " + std::string(text.data())};
}

Span span_of(std::string_view text) {
    return {text.data(), text.size()};
}

}  // namespace

Result<void> available() {
    const Loaded& loaded = loaded_module();
    return loaded.functions != nullptr
               ? Result<void>()
               : Result<void>(Error{ErrorCode::Unsupported, loaded.problem});
}

Result<std::unique_ptr<Store>> Store::open(const std::string& path, Access access) {
    TAFFRAIL_TRY(available());
    const Module& module = *loaded_module().functions;
    std::array<char, 512> text{};
    Folder* folder =
        module.open(path.c_str(), access == Access::Read ? 1 : 0, text.data(), text.size());
    if (folder == nullptr) {
        return failed(text);
    }
    return std::unique_ptr<Store>(new Store(module, folder, module.begin()));
}

Store::~Store() {
    module_.drop(writes_);
    module_.close(folder_);
}

void Store::put(std::string_view key, std::string_view value) {
    module_.put(writes_, span_of(key), span_of(value));
}

std::size_t Store::pending_bytes() const noexcept {
    return module_.bytes(writes_);
}

Result<void> Store::write_out() {
    std::array<char, 512> text{};
    return module_.write(folder_, writes_, text.data(), text.size()) == 0
               ? Result<void>()
               : Result<void>(failed(text));
}

Result<void> Store::flush() {
    TAFFRAIL_TRY(write_out());
    std::array<char, 512> text{};
    return module_.flush(folder_, text.data(), text.size()) == 0 ? Result<void>()
                                                                 : Result<void>(failed(text));
}

Result<void> Store::scan(
    std::string_view prefix,
    const std::function<bool(std::string_view key, std::string_view value)>& visit) {
    using Visit = std::function<bool(std::string_view, std::string_view)>;
    std::array<char, 512> text{};
    Visit call = visit;
    const auto hand_on = [](void* to, Span key, Span value) -> int {
        return (*static_cast<Visit*>(to))({key.data, key.size}, {value.data, value.size}) ? 1 : 0;
    };
    return module_.scan(folder_, span_of(prefix), hand_on, &call, text.data(), text.size()) == 0
               ? Result<void>()
               : Result<void>(failed(text));
}

}  // namespace taffrail::rocksdb
