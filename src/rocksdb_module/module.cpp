// RocksDB behind the C interface of rocksdb/module.h. Options are those that Aim's own library
// reads: no LZ4, no merge operator, one column family.
#include "rocksdb/module.h"

#include <rocksdb/db.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <cstdio>
#include <memory>

struct taffrail::rocksdb::Folder {
    std::unique_ptr<::rocksdb::DB> database;
};

struct taffrail::rocksdb::Writes {
    ::rocksdb::WriteBatch batch;
};

namespace taffrail::rocksdb_module {

using taffrail::rocksdb::Folder;
using taffrail::rocksdb::kModuleAbi;
using taffrail::rocksdb::Module;
using taffrail::rocksdb::Span;
using taffrail::rocksdb::Writes;

namespace {

int told(const ::rocksdb::Status& status, char* error, std::size_t size) {
    if (status.ok()) {
        return 0;
    }
    std::snprintf(error, size, "%s", status.ToString().c_str());
    return 1;
}

Folder* open(const char* path, int is_read_only, char* error, std::size_t size) {
    ::rocksdb::Options options;
    options.create_if_missing = is_read_only == 0;
    options.compression = ::rocksdb::kSnappyCompression;
    options.keep_log_file_num = 1;
    options.max_open_files = 256;
    options.write_buffer_size = std::size_t{16} << 20;
    options.paranoid_checks = true;
    if (is_read_only == 0) {
        // Steps stand there by a hash of them: each of four places a point would be looked for
        // among all that is in memory. What nobody reads here is sorted once, when it is written.
        options.memtable_factory = std::make_shared<::rocksdb::VectorRepFactory>();
        options.allow_concurrent_memtable_write = false;
        options.level0_file_num_compaction_trigger = 12;  // each point is moved seldom
        // Keys are long and differ at their end: whole ones are kept seldom.
        ::rocksdb::BlockBasedTableOptions table;
        table.block_size = std::size_t{32} << 10;
        table.block_restart_interval = 64;
        options.table_factory.reset(::rocksdb::NewBlockBasedTableFactory(table));
    }
    ::rocksdb::DB* database = nullptr;
    const ::rocksdb::Status status = is_read_only != 0
                                         ? ::rocksdb::DB::OpenForReadOnly(options, path, &database)
                                         : ::rocksdb::DB::Open(options, path, &database);
    if (told(status, error, size) != 0) {
        return nullptr;
    }
    return new Folder{std::unique_ptr<::rocksdb::DB>(database)};
}

void close(Folder* folder) {
    if (folder != nullptr) {
        folder->database->Close().PermitUncheckedError();
    }
    delete folder;
}

Writes* begin() {
    return new Writes;
}

void put(Writes* writes, Span key, Span value) {
    writes->batch.Put({key.data, key.size}, {value.data, value.size}).PermitUncheckedError();
}

std::size_t bytes(const Writes* writes) {
    return writes->batch.GetDataSize();
}

void drop(Writes* writes) {
    delete writes;
}

int write(Folder* folder, Writes* writes, char* error, std::size_t size) {
    if (writes->batch.Count() == 0) {
        return 0;
    }
    const int failed =
        told(folder->database->Write(::rocksdb::WriteOptions(), &writes->batch), error, size);
    if (failed == 0) {
        writes->batch.Clear();
    }
    return failed;
}

int flush(Folder* folder, char* error, std::size_t size) {
    return told(folder->database->Flush(::rocksdb::FlushOptions()), error, size);
}

int scan(Folder* folder, Span prefix, int (*visit)(void* to, Span key, Span value), void* to,
         char* error, std::size_t size) {
    ::rocksdb::ReadOptions options;
    options.verify_checksums = true;
    options.fill_cache = false;
    options.readahead_size = std::size_t{1} << 20;
    const std::unique_ptr<::rocksdb::Iterator> at(folder->database->NewIterator(options));
    const ::rocksdb::Slice wanted(prefix.data, prefix.size);
    for (at->Seek(wanted); at->Valid() && at->key().starts_with(wanted); at->Next()) {
        if (visit(to, {at->key().data(), at->key().size()},
                  {at->value().data(), at->value().size()}) == 0) {
            break;
        }
    }
    return told(at->status(), error, size);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const Module* taffrail_rocksdb_module() {
    static const Module module = {kModuleAbi, open, close, begin, put,
                                  bytes,      drop, write, flush, scan};
    return &module;
}

}  // namespace taffrail::rocksdb_module
