#include "sqlite/library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <optional>

namespace taffrail::sqlite {
namespace {

struct Loaded {
    Library functions;
    std::string problem;
};

Loaded load_library() {
    Loaded loaded;
    const char* chosen = std::getenv("TAFFRAIL_SQLITE_LIBRARY");
    const char* path = chosen != nullptr && *chosen != '\0' ? chosen : "libsqlite3.so.0";
    void* handle = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        loaded.problem = std::string("SQLite files need its library, which is not here (") +
                         ::dlerror() + "); install the package libsqlite3-0";
        return loaded;
    }
    bool is_complete = true;
    const auto resolve = [&](const char* name, auto& to) {
        to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(::dlsym(handle, name));
        is_complete = is_complete && to != nullptr;
    };
    Library& all = loaded.functions;
    resolve("sqlite3_open_v2", all.open);
    resolve("sqlite3_close_v2", all.close);
    resolve("sqlite3_busy_timeout", all.busy_timeout);
    resolve("sqlite3_limit", all.limit);
    resolve("sqlite3_errmsg", all.message);
    resolve("sqlite3_last_insert_rowid", all.last_row);
    resolve("sqlite3_prepare_v2", all.prepare);
    resolve("sqlite3_step", all.step);
    resolve("sqlite3_reset", all.reset);
    resolve("sqlite3_finalize", all.finalize);
    resolve("sqlite3_bind_null", all.bind_null);
    resolve("sqlite3_bind_int64", all.bind_whole);
    resolve("sqlite3_bind_double", all.bind_number);
    resolve("sqlite3_bind_text", all.bind_text);
    resolve("sqlite3_bind_blob", all.bind_blob);
    resolve("sqlite3_column_type", all.type);
    resolve("sqlite3_column_int64", all.whole);
    resolve("sqlite3_column_double", all.number);
    resolve("sqlite3_column_text", all.text);
    resolve("sqlite3_column_blob", all.blob);
    resolve("sqlite3_column_bytes", all.size);
    if (!is_complete) {
        loaded.problem = std::string(path) + " lacks functions that every SQLite since 2010 has";
    }
    return loaded;
}

}  // namespace

Result<const Library*> library() {
    static const Loaded loaded = load_library();
    if (!loaded.problem.empty()) {
        return Error{ErrorCode::Unsupported, loaded.problem};
    }
    return &loaded.functions;
}

Result<void> available() {
    const auto found = library();
    return found.ok() ? Result<void>() : Result<void>(found.error());
}

}  // namespace taffrail::sqlite
