#include "store/pack_writer.h"

#include "base/diagnostics.h"
#include "base/try.h"
#include "io/files.h"
#include "store/layout.h"

#include <fmt/core.h>

namespace taffrail::store {
namespace {

// Beyond this the table of known blobs starts anew: it saves space, it is not needed for
// correctness.
constexpr std::size_t kMaxKnown = 200'000;

}  // namespace

PackWriter::PackWriter(std::string run_folder, std::uint64_t writer, std::uint64_t roll_bytes)
    : folder_(io::join(run_folder, kPackFolder)), writer_(writer), roll_bytes_(roll_bytes) {}

Result<void> PackWriter::open_next() {
    TAFFRAIL_TRY(io::make_directories(folder_));
    while (true) {
        auto file =
            io::open(io::join(folder_, pack_name(writer_, number_)), io::OpenMode::CreateExclusive);
        if (file.ok()) {
            file_ = *std::move(file);
            ++number_;
            entries_.clear();
            synced_entries_ = 0;
            folder_synced_ = false;
            return {};
        }
        if (file.error().code != ErrorCode::AlreadyExists) {
            return std::move(file).error();
        }
        ++number_;
    }
}

Result<tpak::Entry> PackWriter::write(ByteSpan bytes, const BlobRef& ref) {
    if (file_ == nullptr) {
        TAFFRAIL_TRY(open_next());
    }
    tpak::Entry entry{ref, file_->end()};
    const auto header = tpak::entry_header(ref);
    const ByteSpan parts[] = {header, bytes};
    TAFFRAIL_TRY(file_->append(parts));
    entries_.push_back(entry);
    bytes_written_ += header.size() + bytes.size();
    return entry;
}

Result<tlog::BlobPlace> PackWriter::put(ByteSpan bytes, const BlobRef& ref) {
    tlog::BlobPlace place;
    place.ref = ref;
    if (bytes.size() < kInlineBytes) {
        place.bytes = bytes;
        return place;
    }
    place.where = tlog::BlobPlace::Where::Pack;
    const std::scoped_lock lock(mutex_);
    if (const auto found = known_.find(ref.sha256); found != known_.end()) {
        place.pack = found->second.pack;
        place.offset = found->second.offset;
        return place;
    }
    if (file_ != nullptr && file_->end() >= roll_bytes_) {
        TAFFRAIL_TRY(finish_pack());
    }
    TAFFRAIL_ASSIGN(const tpak::Entry entry, write(bytes, ref));
    place.pack = number_ - 1;
    place.offset = entry.offset;
    if (known_.size() >= kMaxKnown) {
        known_.clear();
    }
    known_[ref.sha256] = {number_ - 1, entry.offset};
    return place;
}

// The bytes of a file whose sync failed are still readable here, but may never reach the disk: they
// go into another file. Log records that name the old place find the blob there or, by its hash, in
// the new pack.
Result<void> PackWriter::rescue() {
    const std::unique_ptr<io::File> old = std::move(file_);
    const std::vector<tpak::Entry> lost(
        entries_.begin() + static_cast<std::ptrdiff_t>(synced_entries_), entries_.end());
    TAFFRAIL_TRY(open_next());
    for (const tpak::Entry& entry : lost) {
        Bytes bytes(entry.ref.size);
        TAFFRAIL_ASSIGN(const std::size_t count,
                        old->read_at(entry.offset + tpak::kEntryHeaderBytes, bytes));
        if (count == bytes.size()) {
            TAFFRAIL_TRY(write(bytes, entry.ref));
        }
    }
    return file_->sync();
}

Result<void> PackWriter::sync() {
    const std::scoped_lock lock(mutex_);
    if (file_ == nullptr || synced_entries_ == entries_.size()) {
        return {};
    }
    if (const auto synced = file_->sync(); !synced.ok()) {
        diagnose_once(
            DiagnosticLevel::Warning, "pack sync",
            fmt::format("{}; writing those blobs into another file", synced.error().message));
        TAFFRAIL_TRY(rescue());
    }
    if (!folder_synced_) {
        TAFFRAIL_TRY(io::sync_directory(folder_));
        folder_synced_ = true;
    }
    synced_entries_ = entries_.size();
    return {};
}

Result<void> PackWriter::finish_pack() {
    const Bytes index = tpak::encode_index(entries_, file_->end());
    // The index is a convenience: a pack without one is read entry by entry.
    const auto written = file_->append(ByteSpan(index));
    const auto synced = file_->sync();
    if (!synced.ok()) {
        TAFFRAIL_TRY(rescue());
        return {};
    }
    synced_entries_ = entries_.size();
    if (written.ok()) {
        bytes_written_ += index.size();
    }
    file_.reset();
    return {};
}

Result<void> PackWriter::close() {
    const std::scoped_lock lock(mutex_);
    if (file_ == nullptr) {
        return {};
    }
    TAFFRAIL_TRY(finish_pack());
    file_.reset();
    return {};
}

std::uint64_t PackWriter::bytes_written() const {
    const std::scoped_lock lock(mutex_);
    return bytes_written_;
}

}  // namespace taffrail::store
