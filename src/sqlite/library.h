// The functions of libsqlite3, loaded on first use: programs that never meet such a file do not
// carry it. Declared here with the types of its stable interface.
#pragma once

#include <taffrail/result.h>

#include <cstdint>

namespace taffrail::sqlite {

struct Connection;  // sqlite3
struct Prepared;    // sqlite3_stmt

struct Library {
    int (*open)(const char* name, Connection** to, int flags, const char* vfs) = nullptr;
    int (*close)(Connection*) = nullptr;
    int (*busy_timeout)(Connection*, int milliseconds) = nullptr;
    int (*limit)(Connection*, int what, int value) = nullptr;
    const char* (*message)(Connection*) = nullptr;
    std::int64_t (*last_row)(Connection*) = nullptr;
    int (*prepare)(Connection*, const char* sql, int bytes, Prepared** to,
                   const char** rest) = nullptr;
    int (*step)(Prepared*) = nullptr;
    int (*reset)(Prepared*) = nullptr;
    int (*finalize)(Prepared*) = nullptr;
    int (*bind_null)(Prepared*, int place) = nullptr;
    int (*bind_whole)(Prepared*, int place, std::int64_t value) = nullptr;
    int (*bind_number)(Prepared*, int place, double value) = nullptr;
    int (*bind_text)(Prepared*, int place, const char* text, int bytes,
                     void (*release)(void*)) = nullptr;
    int (*bind_blob)(Prepared*, int place, const void* bytes, int size,
                     void (*release)(void*)) = nullptr;
    int (*type)(Prepared*, int column) = nullptr;
    std::int64_t (*whole)(Prepared*, int column) = nullptr;
    double (*number)(Prepared*, int column) = nullptr;
    const unsigned char* (*text)(Prepared*, int column) = nullptr;
    const void* (*blob)(Prepared*, int column) = nullptr;
    int (*size)(Prepared*, int column) = nullptr;
};

/// An error that names the package where there is none.
Result<const Library*> library();
/// Whether it is there; else that error.
Result<void> available();

}  // namespace taffrail::sqlite
