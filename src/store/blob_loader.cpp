#include "store/blob_loader.h"

#include "base/sha256.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"
#include "store/layout.h"

#include <fmt/core.h>

#include <algorithm>

namespace taffrail::store {

Result<PackContents> read_pack_entries(const std::string& url, std::uint64_t offset) {
    TAFFRAIL_ASSIGN(const auto file, io::open_inside(io::parent(io::parent(url)), url));
    TAFFRAIL_ASSIGN(const io::FileInfo info, file->info());
    PackContents contents;
    if (info.size >= tpak::kTrailerBytes) {
        Bytes trailer(tpak::kTrailerBytes);
        TAFFRAIL_TRY(file->read_at(info.size - tpak::kTrailerBytes, trailer));
        if (const auto place = tpak::parse_trailer(trailer, info.size)) {
            Bytes index(static_cast<std::size_t>(place->length));
            TAFFRAIL_TRY(file->read_at(place->offset, index));
            if (auto entries = tpak::parse_index(index)) {
                return PackContents{*std::move(entries), place->offset, true};
            }
        }
    }
    // Still being written, or its writer was killed: from header to header, as far as whole entries
    // go.
    Bytes header(tpak::kEntryHeaderBytes);
    while (offset + tpak::kEntryHeaderBytes <= info.size) {
        TAFFRAIL_TRY(file->read_at(offset, header));
        const auto ref = tpak::parse_entry_header(header);
        const tpak::Entry entry{ref.value_or(BlobRef{}), offset};
        if (!ref || ref->size > info.size || entry.end() > info.size) {
            break;
        }
        contents.entries.push_back(entry);
        offset = entry.end();
    }
    contents.end = offset;
    return contents;
}

Result<void> check_size(const BlobRef& wanted, ByteSpan bytes) {
    if (wanted.size != 0 && wanted.size != bytes.size()) {
        return Error{ErrorCode::Corrupt,
                     fmt::format("blob {} has {} bytes, not the {} that a value says",
                                 to_hex(wanted.sha256), bytes.size(), wanted.size)};
    }
    return {};
}

Result<SharedBytes> BlobLoader::read_entry(const std::string& pack_url, std::uint64_t offset,
                                           const BlobRef& ref) {
    TAFFRAIL_ASSIGN(const auto file, io::open_inside(run_folder_, pack_url));
    TAFFRAIL_ASSIGN(const io::FileInfo info, file->info());
    if (ref.size > info.size || offset > info.size - ref.size) {
        return Error{ErrorCode::Corrupt,
                     fmt::format("{} ends before its blob at {}", pack_url, offset)};
    }
    auto bytes = std::make_shared<Bytes>(static_cast<std::size_t>(ref.size));
    TAFFRAIL_ASSIGN(const std::size_t count,
                    file->read_at(offset + tpak::kEntryHeaderBytes, *bytes));
    if (count != bytes->size() || sha256(*bytes) != ref.sha256) {
        return Error{ErrorCode::Corrupt, fmt::format("blob {} at byte {} of {} fails its checksum",
                                                     to_hex(ref.sha256), offset, pack_url)};
    }
    return SharedBytes(std::move(bytes));
}

void BlobLoader::scan(const std::string& pack_url, Pack& pack) {
    if (pack.closed) {
        return;
    }
    const auto contents = read_pack_entries(pack_url, pack.scanned);
    if (!contents.ok()) {
        return;
    }
    for (const tpak::Entry& entry : contents->entries) {
        index_.try_emplace(entry.ref.sha256, Place{pack_url, entry.offset, entry.ref.size});
    }
    pack.scanned = contents->end;
    pack.closed = contents->closed;
}

Result<BlobLoader::Place> BlobLoader::find_place(const BlobRef& ref) {
    const std::scoped_lock lock(mutex_);
    auto found = index_.find(ref.sha256);
    if (found == index_.end()) {
        // A blob is looked for under its hash alone: a copy of the run may have put it into another
        // pack than its record names. Packs that are closed are read once.
        for (const FileName& name : list_packs(run_folder_)) {
            const std::string url =
                io::join(io::join(run_folder_, kPackFolder), pack_name(name.writer, name.number));
            scan(url, packs_[url]);
        }
        found = index_.find(ref.sha256);
    }
    if (found == index_.end()) {
        return Error{
            ErrorCode::NotFound,
            fmt::format("blob {} is in no pack of {}: copy its blobs folder again if you can",
                        to_hex(ref.sha256), run_folder_)};
    }
    return found->second;
}

Result<SharedBytes> BlobLoader::find(const BlobRef& ref) {
    TAFFRAIL_ASSIGN(const Place place, find_place(ref));
    return read_entry(place.pack, place.offset, {ref.sha256, place.size});
}

Result<Bytes> BlobLoader::find_range(const BlobRef& ref, std::uint64_t offset,
                                     std::uint64_t length) {
    TAFFRAIL_ASSIGN(const Place place, find_place(ref));
    if (ref.size != 0 && ref.size != place.size) {
        return Error{ErrorCode::Corrupt, fmt::format("blob {} has {} bytes, not {}",
                                                     to_hex(ref.sha256), place.size, ref.size)};
    }
    // A part of a blob cannot be checked against the hash of the whole; whoever needs that loads
    // it.
    const std::uint64_t first = std::min(offset, place.size);
    TAFFRAIL_ASSIGN(const auto file, io::open_inside(run_folder_, place.pack));
    TAFFRAIL_ASSIGN(const io::FileInfo info, file->info());
    const std::uint64_t begin = place.offset + tpak::kEntryHeaderBytes + first;
    if (begin > info.size) {
        return Error{ErrorCode::Corrupt,
                     fmt::format("{} ends before its blob at {}", place.pack, place.offset)};
    }
    Bytes bytes(
        static_cast<std::size_t>(std::min({length, place.size - first, info.size - begin})));
    TAFFRAIL_ASSIGN(const std::size_t count, file->read_at(begin, bytes));
    bytes.resize(count);
    return bytes;
}

Result<SharedBytes> BlobLoader::load(const tlog::BlobPlace& place, std::uint64_t writer) {
    if (place.where == tlog::BlobPlace::Where::Inline) {
        if (sha256(place.bytes) != place.ref.sha256) {
            return Error{ErrorCode::Corrupt, fmt::format("inline blob {} fails its checksum",
                                                         to_hex(place.ref.sha256))};
        }
        return SharedBytes(std::make_shared<Bytes>(place.bytes.begin(), place.bytes.end()));
    }
    if (place.where == tlog::BlobPlace::Where::Pack) {
        const std::string url = io::join(io::join(run_folder_, kPackFolder),
                                         pack_name(writer, static_cast<std::uint32_t>(place.pack)));
        if (auto bytes = read_entry(url, place.offset, place.ref); bytes.ok()) {
            return bytes;
        }
    }
    return find(place.ref);
}

}  // namespace taffrail::store
