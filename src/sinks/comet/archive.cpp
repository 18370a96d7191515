#include "sinks/comet/archive.h"

#include "base/try.h"
#include "codec/zip_writer.h"
#include "io/files.h"
#include "io/inside.h"

namespace taffrail::sinks::comet {
namespace {

constexpr const char* kMessages = "messages.json";
constexpr const char* kExperiment = "experiment.json";

}  // namespace

Result<ArchiveFolder> ArchiveFolder::create(const std::string& path) {
    TAFFRAIL_TRY(io::make_directories(path));
    ArchiveFolder made;
    made.path_ = path;
    TAFFRAIL_ASSIGN(made.file_, io::open(io::join(path, kMessages), io::OpenMode::CreateExclusive));
    return made;
}

Result<ArchiveFolder> ArchiveFolder::reopen(const std::string& path, std::uint64_t length) {
    ArchiveFolder made;
    made.path_ = path;
    TAFFRAIL_ASSIGN(made.file_,
                    io::open_inside(path, io::join(path, kMessages), io::OpenMode::ReadWrite));
    TAFFRAIL_ASSIGN(const io::FileInfo info, made.file_->info());
    if (info.size < length) {
        return Error{ErrorCode::Corrupt, "comet: '" + path +
                                             "' has fewer messages than were written to it; "
                                             "remove it to have the rest in a new archive"};
    }
    TAFFRAIL_TRY(made.file_->truncate(length));
    made.length_ = length;
    return made;
}

Result<void> ArchiveFolder::store(std::string_view name, ByteSpan bytes) const {
    return io::write_file_atomically(io::join(path_, name), bytes, false);
}

Result<void> ArchiveFolder::write_out() {
    if (!pending_.empty()) {
        TAFFRAIL_TRY(file_->write_at(length_, as_bytes(pending_)));
        length_ += pending_.size();
        pending_.clear();
    }
    return {};
}

Result<void> ArchiveFolder::describe(const formats::comet::Experiment& experiment) const {
    return store(kExperiment, as_bytes(formats::comet::experiment_document(experiment)));
}

Result<void> ArchiveFolder::pack(std::int64_t time_ns) {
    const std::string archive = path_ + ".zip", unfinished = archive + ".tmp";
    TAFFRAIL_ASSIGN(auto to, io::open(unfinished, io::OpenMode::Truncate));
    ZipWriter writer([&](ByteSpan bytes) { return to->append(bytes); }, time_ns);
    TAFFRAIL_ASSIGN(const auto entries, io::list_inside(path_, path_));
    for (const io::DirectoryEntry& entry : entries) {
        if (entry.type != io::EntryType::File) {
            continue;
        }
        TAFFRAIL_ASSIGN(const auto from, io::open_inside(path_, io::join(path_, entry.name)));
        TAFFRAIL_ASSIGN(const io::FileInfo info, from->info());
        io::Mapping mapped;
        if (info.size > 0) {
            TAFFRAIL_ASSIGN(mapped,
                            from->map(static_cast<std::size_t>(info.size), io::MapAccess::Read));
        }
        // Stored, as the official program does: what is uploaded is packed on its way.
        TAFFRAIL_TRY(writer.add(entry.name, mapped.bytes(), ZipMethod::Stored));
    }
    TAFFRAIL_TRY(writer.finish());
    TAFFRAIL_TRY(to->sync());
    to.reset();
    TAFFRAIL_TRY(io::rename(unfinished, archive));
    file_.reset();
    return io::remove_tree(path_);
}

}  // namespace taffrail::sinks::comet
