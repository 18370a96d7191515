// The sealed part of a native run: taking up a manifest, and what to read when sealed files are
// damaged.
#include "io/files.h"
#include "seal/file_check.h"
#include "store/layout.h"
#include "store/run_reader.h"

#include <algorithm>
#include <mutex>

namespace taffrail::store {
namespace {

using FileKind = seal::SealedFileInfo::Kind;

}  // namespace

bool RunReader::take_manifest() const {
    auto manifest = read_manifest(folder_);
    if (!manifest || manifest->number == manifest_.number) {
        return false;
    }
    sealed_ = seal::SealedRun::open(folder_, manifest->files);
    manifest_ = *std::move(manifest);
    doubt_ = sealed_->is_damaged() || !manifest_.unreadable.empty();
    writers_.clear();
    console_.clear();
    return true;
}

std::unique_ptr<WriterData> RunReader::make_writer(std::uint64_t id) const {
    auto writer = std::make_unique<WriterData>(folder_, id);
    const std::vector<FileName> files = list_logs(folder_, id);
    std::map<std::uint32_t, std::uint64_t> covered;
    bool complete = !files.empty();
    for (const seal::CoveredLog& log : manifest_.logs) {
        if (log.writer == id) {
            covered[log.file_number] = log.bytes;
            complete &= std::ranges::find(files, FileName{id, log.file_number}) != files.end();
        }
    }
    std::vector<std::string> rest;
    bool rest_is_whole = manifest_.unreadable.empty();
    for (const seal::SealedFileInfo& file : manifest_.files) {
        if (file.kind == FileKind::Rest && writer_of_rest_log(file.name) == id) {
            rest.push_back(io::join(io::join(folder_, kDataFolder), file.name));
            rest_is_whole = rest_is_whole && (!doubt_ || seal::is_whole(rest.back(), file));
        }
    }
    if (doubt_ && complete && !rest_is_whole) {
        return writer;  // its logs alone tell everything
    }
    writer->log.set_sealed(std::move(covered), rest,
                           doubt_ ? WriterLog::CoveredPart::Rows : WriterLog::CoveredPart::Nothing);
    return writer;
}

bool RunReader::is_sealed(std::string_view key) const {
    return sealed_ != nullptr && sealed_->contains(key);
}

bool RunReader::met_damage() const {
    const std::shared_lock lock(mutex_);
    return sealed_ != nullptr && !doubt_ && sealed_->is_damaged();
}

void RunReader::doubt_sealed() const {
    const std::unique_lock lock(mutex_);
    if (doubt_) {
        return;
    }
    doubt_ = true;
    writers_.clear();
    console_.clear();
    ++revision_;
    (void)refresh_locked();  // what cannot be read is told by the question that comes again
}

}  // namespace taffrail::store
