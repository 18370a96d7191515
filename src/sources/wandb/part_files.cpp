#include "sources/wandb/part_files.h"

#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"

#include <cstring>

namespace taffrail::sources::wandb {
namespace {

constexpr std::string_view kMark("wbplace\0", 8);
constexpr std::size_t kMaxOthers = 1000;

}  // namespace

BlobRef to_ref(const FilePlace& place, std::uint64_t size) noexcept {
    BlobRef ref;
    ref.size = size;
    std::memcpy(ref.sha256.data(), kMark.data(), kMark.size());
    store_at(ref.sha256.data() + 8, place.part);
    store_at(ref.sha256.data() + 12, place.file);
    store_at(ref.sha256.data() + 16, size);
    return ref;
}

std::optional<FilePlace> from_ref(const BlobRef& ref) noexcept {
    if (std::memcmp(ref.sha256.data(), kMark.data(), kMark.size()) != 0) {
        return std::nullopt;
    }
    return FilePlace{taffrail::load<std::uint32_t>(ref.sha256.data() + 8),
                     taffrail::load<std::uint32_t>(ref.sha256.data() + 12)};
}

Result<Blob> PartFiles::file(const std::string& url) {
    TAFFRAIL_ASSIGN(const io::FileInfo info, io::stat_inside(folder_, url));
    if (info.type != io::EntryType::File || info.size == 0) {
        return Error{ErrorCode::NotFound, "'" + url + "' is no file with content"};
    }
    const auto [found, is_new] =
        numbers_.try_emplace(url, static_cast<std::uint32_t>(paths_.size()));
    if (is_new) {
        paths_.push_back(url);
    }
    Blob blob;
    blob.ref = to_ref({part_, found->second}, info.size);
    return blob;
}

Result<Blob> PartFiles::media(std::string_view path) {
    return file(io::join(io::join(folder_, "files"), path));
}

Result<Blob> PartFiles::artifact(std::string_view local_path) {
    constexpr std::string_view kArtifacts = "/artifacts/";
    if (const auto begin = local_path.rfind(kArtifacts); begin != std::string_view::npos) {
        if (auto found = file(folder_ + std::string(local_path.substr(begin))); found.ok()) {
            return found;
        }
    }
    return file(std::string(local_path));
}

std::vector<std::pair<std::string, Blob>> PartFiles::others() {
    std::vector<std::pair<std::string, Blob>> all;
    const std::string folder = io::join(folder_, "files");
    const auto entries = io::list_inside(folder_, folder);
    for (const io::DirectoryEntry& entry :
         entries.ok() ? *entries : std::vector<io::DirectoryEntry>()) {
        if (entry.type == io::EntryType::File && all.size() < kMaxOthers) {
            if (auto blob = file(io::join(folder, entry.name)); blob.ok()) {
                all.emplace_back(entry.name, *std::move(blob));
            }
        }
    }
    return all;
}

const std::string* PartFiles::path_of(std::uint32_t number) const noexcept {
    return number < paths_.size() ? &paths_[number] : nullptr;
}

Result<Bytes> PartFiles::read(const Blob& blob, std::uint64_t limit) const {
    const auto place = from_ref(blob.ref);
    const std::string* path = place ? path_of(place->file) : nullptr;
    if (path == nullptr) {
        return Error{ErrorCode::NotFound, "the file is gone from '" + folder_ + "'"};
    }
    return io::read_inside(folder_, *path, limit);
}

}  // namespace taffrail::sources::wandb
