#include "record/orphan.h"

#include "base/diagnostics.h"
#include "base/names.h"
#include "base/strings.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"
#include "io/private_folder.h"
#include "record/ring.h"
#include "record/spool.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace taffrail::record {
namespace {

class LoadedDefinitions final : public DefinitionSource {
  public:
    explicit LoadedDefinitions(const Definitions& definitions) {
        for (const Definitions::Key& key : definitions.keys) {
            keys_[key.id] = &key;
        }
        for (const Definitions::Schema& schema : definitions.schemas) {
            schemas_[schema.id] = &schema;
        }
    }

    [[nodiscard]] const Definitions::Key* find_key(std::uint32_t id) const override {
        const auto found = keys_.find(id);
        return found == keys_.end() ? nullptr : found->second;
    }

    [[nodiscard]] const Definitions::Schema* find_schema(std::uint32_t id) const override {
        const auto found = schemas_.find(id);
        return found == schemas_.end() ? nullptr : found->second;
    }

  private:
    std::map<std::uint32_t, const Definitions::Key*> keys_;
    std::map<std::uint32_t, const Definitions::Schema*> schemas_;
};

// Where a ring can be read from: the newer of the two places whose context is known.
RingCursor cursor_of(const RingState& state) {
    const auto& first = state.contexts[0];
    const auto& second = state.contexts[1];
    const bool newer = second.position.load(std::memory_order_acquire) >
                       first.position.load(std::memory_order_acquire);
    const auto& slot = newer ? second : first;
    RingCursor cursor;
    cursor.position = slot.position.load(std::memory_order_acquire);
    cursor.context = slot.context;
    return cursor;
}

class OrphanReader {
  public:
    OrphanReader(const Orphan& orphan, const OrphanProgress& progress,
                 const std::function<Result<void>(const tlog::Batch&)>& take, bool adopting)
        : adopting_(adopting),
          orphan_(orphan),
          progress_(progress),
          definitions_(orphan.definitions),
          take_(take),
          drain_(definitions_, orphan.definitions.identity.clock, progress.next_seq,
                 progress.first_step) {}

    Result<void> read_ring(const std::string& path) {
        TAFFRAIL_ASSIGN(auto file, io::open_inside(io::parent(path), path));
        TAFFRAIL_ASSIGN(const io::FileInfo info, file->info());
        // Killed while it made the ring: no size or no header yet, so nothing was ever logged
        // there.
        std::uint64_t magic = 0;
        TAFFRAIL_ASSIGN(const std::size_t got,
                        file->read_at(0, std::as_writable_bytes(std::span(&magic, 1))));
        if (got < sizeof magic || magic == 0) {
            return {};
        }
        TAFFRAIL_ASSIGN(const io::Mapping mapping,
                        file->map(static_cast<std::size_t>(info.size), io::MapAccess::Read));
        TAFFRAIL_ASSIGN(const RingHeader header, check_ring_header(mapping.bytes(), path));
        // A copy may have been taken while the ring was written: its pages are of different
        // moments, and nothing in them says so. The log beside it is whole up to where it ends.
        if (header.inode_part != 0 && header.inode_part != inode_part(info.inode)) {
            return {};
        }
        const auto& state = *reinterpret_cast<const RingState*>(mapping.data() + kRingStateOffset);
        RingCursor cursor = cursor_of(state);
        cursor.words = reinterpret_cast<const std::uint64_t*>(mapping.data() + kRingDataOffset);
        cursor.capacity = header.capacity_words;
        const std::uint64_t head = state.head.load(std::memory_order_acquire);
        std::uint64_t written = cursor.position;
        for (const tlog::RingPosition& known : progress_.ring_positions) {
            if (known.ring == header.ring_number) {
                written = std::max(written, known.position);
            }
        }
        if (cursor.position > head || head - cursor.position > header.capacity_words) {
            return Error{ErrorCode::Corrupt,
                         "the counters of " + path + " are damaged; nothing can be read from it"};
        }
        for (Drain::Outcome outcome = Drain::Outcome::BatchFull;
             outcome == Drain::Outcome::BatchFull;) {
            drain_.start_batch();
            outcome = drain_.take(cursor, head, written);
            const std::uint64_t lost = state.lost.load(std::memory_order_acquire);
            if (outcome == Drain::Outcome::Damaged) {
                diagnose_once(DiagnosticLevel::Warning, "orphan." + path,
                              "the rest of " + path + " is damaged and left out");
                drain_.builder().batch().gaps.push_back(
                    {header.ring_number, 1, wall_time_ns(), wall_time_ns()});
                cursor.position = head;
            } else if (outcome == Drain::Outcome::Done && lost > 0 && written < head) {
                drain_.builder().batch().gaps.push_back(
                    {header.ring_number, lost,
                     drain_.clock().to_wall_ns(state.first_lost_ticks.load()),
                     drain_.clock().to_wall_ns(state.last_lost_ticks.load())});
            }
            if (drain_.builder().empty()) {
                break;
            }
            drain_.builder().batch().ring_positions.push_back(
                {header.ring_number, cursor.position});
            spooled_.insert(spooled_.end(), drain_.spooled().begin(), drain_.spooled().end());
            if (adopting_) {
                TAFFRAIL_TRY(note_axes());
            }
            TAFFRAIL_TRY(take_(drain_.finish_batch()));
        }
        return {};
    }

    // Values that were accepted but not encoded: those the log says are pending, and those found in
    // the rings now.
    Result<void> read_spool(const EncodeValue& encode, const PutBlob& put_blob) {
        for (const tlog::SpoolEntry& entry : progress_.spool_pending) {
            SpooledValue value;
            value.seq = entry.seq;
            value.file = entry.file;
            value.offset = entry.offset;
            value.length = entry.length;
            value.key = 0;  // beside the entry
            TAFFRAIL_TRY(read_value(value, encode, put_blob));
        }
        for (const SpooledValue& value : spooled_) {
            TAFFRAIL_TRY(read_value(value, encode, put_blob));
        }
        return {};
    }

  private:
    Result<void> read_value(SpooledValue value, const EncodeValue& encode,
                            const PutBlob& put_blob) {
        const std::string path = spool_path(value.file);
        SpooledValue axes = value;
        Result<CompletedValue> completed = [&]() -> Result<CompletedValue> {
            TAFFRAIL_ASSIGN(auto file, io::open_inside(io::parent(path), path));
            TAFFRAIL_ASSIGN(const Bytes raw, read_spool_entry(*file, axes));
            if (value.key != 0) {
                axes = value;
            } else if (axes.key == 0) {
                return Error{ErrorCode::Corrupt,
                             "an entry of " + path + " does not say what it belongs to"};
            }
            return complete_value(axes, raw, encode, put_blob);
        }();
        drain_.start_batch();
        if (completed.ok()) {
            if (completed->record.kind != kMetaKind) {
                drain_.define_key(completed->record.key);
            }
            add_to(drain_.builder().batch(), *completed);
        } else {
            drain_.builder().batch().spool_done.push_back(value.seq);
            diagnose_once(DiagnosticLevel::Warning, "orphan." + path, completed.error().message);
            drain_.builder().batch().gaps.push_back({0, 1, wall_time_ns(), wall_time_ns()});
        }
        return take_(drain_.finish_batch());
    }

    // Once the log calls a value pending, its axes must stand beside it: an adopter may be killed
    // as well.
    Result<void> note_axes() {
        for (const SpooledValue& value : drain_.spooled()) {
            TAFFRAIL_ASSIGN(auto file, io::open_inside(orphan_.folder, spool_path(value.file),
                                                       io::OpenMode::ReadWrite));
            TAFFRAIL_TRY(resolve_spool_entry(*file, value));
        }
        return {};
    }

    [[nodiscard]] std::string spool_path(std::uint32_t file) const {
        return Spool::path(orphan_.folder, orphan_.definitions.identity.writer, file);
    }

    bool adopting_;
    const Orphan& orphan_;
    const OrphanProgress& progress_;
    LoadedDefinitions definitions_;
    const std::function<Result<void>(const tlog::Batch&)>& take_;
    Drain drain_;
    std::vector<SpooledValue> spooled_;
};

}  // namespace

namespace {

// Of this user, outside of any run: for runs on file systems that cannot hold rings.
std::vector<std::string> own_folders() {
    std::vector<std::string> folders;
    if (const char* runtime = std::getenv("XDG_RUNTIME_DIR");
        runtime != nullptr && *runtime != '\0') {
        folders.push_back(io::join(runtime, "taffrail"));
    }
    folders.push_back("/dev/shm/taffrail-" + std::to_string(getuid()));
    return folders;
}

}  // namespace

Result<void> make_ring_folder(const std::string& folder) {
    const std::vector<std::string> own = own_folders();
    if (const std::string above = io::parent(folder); std::ranges::find(own, above) != own.end()) {
        TAFFRAIL_TRY(io::make_private_directories(above));
        TAFFRAIL_TRY(io::check_own_folder(above));
    }
    return io::make_directories(folder);
}

std::vector<std::string> ring_folders(const std::string& run_folder, const std::string& run_id) {
    std::vector<std::string> folders{io::join(run_folder, "ring")};
    // The id comes out of a log, which may be anybody's: it must not lead to another folder.
    if (!io::is_plain_name(run_id)) {
        return folders;
    }
    for (const std::string& own : own_folders()) {
        // Anybody can make a folder of this name in shared memory before us: it is not looked at.
        const auto checked = io::check_own_folder(own);
        if (checked.ok() || checked.error().code == ErrorCode::NotFound) {
            folders.push_back(io::join(own, run_id));
        }
    }
    return folders;
}

Result<std::string> choose_ring_folder(const std::string& run_folder, const std::string& run_id) {
    std::optional<Error> why;
    for (const std::string& folder : ring_folders(run_folder, run_id)) {
        if (!why && !io::is_local(run_folder)) {
            why = Error{ErrorCode::Unavailable, run_folder + " is on a network file system"};
            continue;
        }
        if (auto made = make_ring_folder(folder); made.ok() && io::is_local(folder)) {
            return folder;
        } else if (!made.ok()) {
            why = made.error();
        }
    }
    return Error{why->code, "no local folder for the log rings: " + why->message +
                                "; set XDG_RUNTIME_DIR to one"};
}

bool writer_is_alive(const std::string& ring_folder, std::uint64_t writer) {
    const auto locked = io::is_locked(definitions_path(ring_folder, writer));
    return locked.ok() && *locked;
}

Result<std::vector<Orphan>> find_orphans(const std::string& ring_folder) {
    std::vector<Orphan> orphans;
    auto entries = io::list(ring_folder);
    if (!entries.ok()) {
        return entries.error().code == ErrorCode::NotFound
                   ? Result<std::vector<Orphan>>(std::move(orphans))
                   : entries.error();
    }
    const std::string boot = boot_id();
    for (const io::DirectoryEntry& entry : *entries) {
        const std::string path = io::join(ring_folder, entry.name);
        if (!entry.name.ends_with(".keys")) {
            continue;
        }
        const auto locked = io::is_locked(path);
        if (!locked.ok() || *locked) {
            continue;
        }
        auto definitions = read_definitions(path);
        if (!definitions.ok() || definitions->identity.boot_id != boot) {
            continue;
        }
        Orphan orphan;
        orphan.folder = ring_folder;
        orphan.definitions = *std::move(definitions);
        const std::string prefix = writer_name(orphan.definitions.identity.writer) + '-';
        std::multimap<std::pair<std::uint32_t, std::uint32_t>, std::string> rings;
        for (const io::DirectoryEntry& other : *entries) {
            if (!other.name.starts_with(prefix)) {
                continue;
            }
            const std::string other_path = io::join(ring_folder, other.name);
            if (other.name.ends_with(".spool")) {
                orphan.spools.push_back(other_path);
            } else if (other.name.ends_with(".ring")) {
                // A process killed while it made a ring leaves zeros, which sort somewhere and hold
                // nothing.
                auto file = io::open_inside(ring_folder, other_path);
                Bytes head(kRingDataOffset);
                if (file.ok() && (*file)->read_at(0, head).ok()) {
                    const auto header = load<RingHeader>(head.data());
                    rings.emplace(std::pair(header.producer, header.generation), other_path);
                }
            }
        }
        for (auto& [order, ring] : rings) {
            orphan.rings.push_back(std::move(ring));
        }
        orphans.push_back(std::move(orphan));
    }
    return orphans;
}

namespace {

Result<void> read_all(const Orphan& orphan, const OrphanProgress& progress,
                      const EncodeValue& encode, const PutBlob& put_blob,
                      const std::function<Result<void>(const tlog::Batch&)>& take, bool adopting) {
    OrphanReader reader(orphan, progress, take, adopting);
    for (const std::string& ring : orphan.rings) {
        if (auto read = reader.read_ring(ring); !read.ok()) {
            if (read.error().code != ErrorCode::Corrupt) {
                return read;
            }
            diagnose_once(DiagnosticLevel::Warning, "orphan." + ring, read.error().message);
        }
    }
    return encode && put_blob ? reader.read_spool(encode, put_blob) : Result<void>();
}

}  // namespace

Result<void> read_orphan(const Orphan& orphan, const OrphanProgress& progress,
                         const EncodeValue& encode, const PutBlob& put_blob,
                         const std::function<Result<void>(const tlog::Batch&)>& take) {
    return read_all(orphan, progress, encode, put_blob, take, false);
}

Result<std::unique_ptr<io::File>> take_over(const Orphan& orphan) {
    const std::string keys = definitions_path(orphan.folder, orphan.definitions.identity.writer);
    TAFFRAIL_ASSIGN(auto file, io::open_inside(orphan.folder, keys, io::OpenMode::ReadWrite));
    TAFFRAIL_ASSIGN(const bool mine, file->try_lock());
    if (!mine) {
        return Error{ErrorCode::Unavailable, "another process adopts " + keys};
    }
    if (!io::exists(keys)) {
        return Error{ErrorCode::NotFound, keys + " was adopted by another process"};
    }
    return file;
}

Result<void> discard_orphan(const Orphan& orphan) {
    for (const std::string& path : orphan.rings) {
        TAFFRAIL_TRY(io::remove(path));
    }
    for (const std::string& path : orphan.spools) {
        TAFFRAIL_TRY(io::remove(path));
    }
    TAFFRAIL_TRY(io::remove(definitions_path(orphan.folder, orphan.definitions.identity.writer)));
    (void)io::remove(orphan.folder);  // stays while other writers use it
    return {};
}

Result<void> adopt_orphan(const Orphan& orphan, const OrphanProgress& progress,
                          const EncodeValue& encode, LogWriter& log, RunState state) {
    TAFFRAIL_TRY(read_all(
        orphan, progress, encode,
        [&](ByteSpan bytes, const BlobRef& ref) { return log.put_blob(bytes, ref); },
        [&](const tlog::Batch& batch) { return log.append(batch); }, true));
    TAFFRAIL_TRY(log.sync());
    TAFFRAIL_TRY(log.close(state));
    return discard_orphan(orphan);
}

}  // namespace taffrail::record
