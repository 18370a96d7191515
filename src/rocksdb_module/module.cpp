// RocksDB behind the C interface of rocksdb/module.h. Options are those that Aim's own library
// reads: no LZ4, no merge operator, one column family.
//
// What trickles in goes through RocksDB's log. What comes by the megabyte is sorted here and joins
// the folder as one file: it is written once instead of twice, and its entries have no running
// numbers, so that the same steps and times in each series are found as repetitions.
#include "rocksdb/module.h"

#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/memtablerep.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct taffrail::rocksdb::Folder {
    std::unique_ptr<::rocksdb::DB> database;
    std::string path;
};

struct taffrail::rocksdb::Writes {
    struct Entry {
        std::size_t begin = 0, key_size = 0, value_size = 0;
    };

    std::string bytes;  // keys and values, one behind the other
    std::vector<Entry> entries;

    [[nodiscard]] ::rocksdb::Slice key(const Entry& entry) const {
        return {bytes.data() + entry.begin, entry.key_size};
    }

    [[nodiscard]] ::rocksdb::Slice value(const Entry& entry) const {
        return {bytes.data() + entry.begin + entry.key_size, entry.value_size};
    }

    void clear() {
        bytes.clear();
        entries.clear();
    }
};

namespace taffrail::rocksdb_module {

using taffrail::rocksdb::Folder;
using taffrail::rocksdb::kModuleAbi;
using taffrail::rocksdb::Module;
using taffrail::rocksdb::Span;
using taffrail::rocksdb::Writes;

namespace {

// So much at once is worth a file of its own; as much as RocksDB gathers before it writes one.
constexpr std::size_t kOwnFile = std::size_t{4} << 20;

::rocksdb::CompressionType compression() {
    const auto known = ::rocksdb::GetSupportedCompressions();
    return std::ranges::find(known, ::rocksdb::kZSTD) != known.end()
               ? ::rocksdb::kZSTD
               : ::rocksdb::kSnappyCompression;
}

/// A name that RocksDB does not know as its own.
std::string unfinished(const std::string& folder) {
    return folder + "/unfinished.sorted";
}

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
    options.compression = compression();
    options.compression_opts.level = 1;
    options.keep_log_file_num = 1;
    options.max_open_files = 256;
    options.write_buffer_size = std::size_t{16} << 20;
    options.paranoid_checks = true;
    if (is_read_only == 0) {
        // Steps stand there by a hash of them: each of four places a point would be looked for
        // among all that is in memory. What nobody reads here is sorted once, when it is written.
        options.memtable_factory = std::make_shared<::rocksdb::VectorRepFactory>();
        options.allow_concurrent_memtable_write = false;
        options.num_levels = 4;  // Aim's own library opens no folder with files below
        options.level0_file_num_compaction_trigger = 12;  // each point is moved seldom
        // Keys are long and differ at their end: whole ones are kept seldom. The columns of a
        // series have the same steps in the same order: a block holds several of them.
        ::rocksdb::BlockBasedTableOptions table;
        table.block_size = std::size_t{256} << 10;
        table.block_restart_interval = 64;
        table.checksum = ::rocksdb::kCRC32c;  // as Aim's own library writes: read without RocksDB
        options.table_factory.reset(::rocksdb::NewBlockBasedTableFactory(table));
    }
    ::rocksdb::DB* database = nullptr;
    const ::rocksdb::Status status = is_read_only != 0
                                         ? ::rocksdb::DB::OpenForReadOnly(options, path, &database)
                                         : ::rocksdb::DB::Open(options, path, &database);
    if (told(status, error, size) != 0) {
        return nullptr;
    }
    if (is_read_only == 0) {
        // Of a process that was killed: it never counted. Only now is the folder ours.
        ::rocksdb::Env::Default()->DeleteFile(unfinished(path)).PermitUncheckedError();
    }
    return new Folder{std::unique_ptr<::rocksdb::DB>(database), path};
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
    writes->entries.push_back({writes->bytes.size(), key.size, value.size});
    writes->bytes.append(key.data, key.size).append(value.data, value.size);
}

std::size_t bytes(const Writes* writes) {
    return writes->bytes.size();
}

void drop(Writes* writes) {
    delete writes;
}

::rocksdb::Status write_by_log(Folder& folder, const Writes& writes) {
    ::rocksdb::WriteBatch batch;
    for (const Writes::Entry& entry : writes.entries) {
        if (auto put = batch.Put(writes.key(entry), writes.value(entry)); !put.ok()) {
            return put;
        }
    }
    return folder.database->Write(::rocksdb::WriteOptions(), &batch);
}

::rocksdb::Status write_as_file(Folder& folder, Writes& writes) {
    // Of equal keys the last one counts; it stands first then.
    std::ranges::sort(writes.entries, [&](const Writes::Entry& a, const Writes::Entry& b) {
        const int order = writes.key(a).compare(writes.key(b));
        return order != 0 ? order < 0 : a.begin > b.begin;
    });
    const std::string path = unfinished(folder.path);
    // Never written over: it may be another name of a file that counts.
    ::rocksdb::Env::Default()->DeleteFile(path).PermitUncheckedError();
    ::rocksdb::SstFileWriter file(::rocksdb::EnvOptions(), folder.database->GetOptions());
    if (auto opened = file.Open(path); !opened.ok()) {
        return opened;
    }
    const Writes::Entry* before = nullptr;
    for (const Writes::Entry& entry : writes.entries) {
        if (before == nullptr || writes.key(*before) != writes.key(entry)) {
            if (auto put = file.Put(writes.key(entry), writes.value(entry)); !put.ok()) {
                return put;
            }
        }
        before = &entry;
    }
    if (auto finished = file.Finish(); !finished.ok()) {
        return finished;
    }
    ::rocksdb::IngestExternalFileOptions options;
    options.move_files = true;
    options.write_global_seqno = false;
    auto joined = folder.database->IngestExternalFile({path}, options);
    if (joined.IsIOError()) {
        // Some file systems know no links, and not all say so in a way that RocksDB takes.
        options.move_files = false;
        joined = folder.database->IngestExternalFile({path}, options);
        ::rocksdb::Env::Default()->DeleteFile(path).PermitUncheckedError();
    }
    return joined;
}

int write(Folder* folder, Writes* writes, char* error, std::size_t size) {
    if (writes->entries.empty()) {
        return 0;
    }
    const int failed = told(writes->bytes.size() < kOwnFile ? write_by_log(*folder, *writes)
                                                            : write_as_file(*folder, *writes),
                            error, size);
    if (failed == 0) {
        writes->clear();
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
    // Each column is a scan of its own: RocksDB reads ahead by itself once one turns out long.
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
