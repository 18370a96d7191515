#include "sinks/wandb/run_file.h"

#include "base/try.h"
#include "codec/formats/wandb/framing.h"
#include "io/files.h"

namespace taffrail::sinks::wandb {

using formats::wandb::append_record;
using formats::wandb::kFileHeader;

Result<std::unique_ptr<RunFile>> RunFile::create(const std::string& path) {
    TAFFRAIL_ASSIGN(auto file, io::open(path, io::OpenMode::CreateExclusive));
    std::unique_ptr<RunFile> made(new RunFile(path, std::move(file)));
    append(made->pending_, ByteSpan(std::as_bytes(std::span(kFileHeader))));
    TAFFRAIL_TRY(made->write_out());
    return made;
}

Result<std::unique_ptr<RunFile>> RunFile::reopen(const std::string& path, std::uint64_t length,
                                                 std::int64_t records) {
    TAFFRAIL_ASSIGN(auto file, io::open(path, io::OpenMode::ReadWrite));
    TAFFRAIL_ASSIGN(const io::FileInfo info, file->info());
    if (info.size < length) {
        return Error{ErrorCode::Corrupt, "wandb: '" + path +
                                             "' is shorter than what was written to it; remove it "
                                             "to have the rest of the run in a new one"};
    }
    TAFFRAIL_TRY(file->truncate(length));
    std::unique_ptr<RunFile> made(new RunFile(path, std::move(file)));
    made->length_ = length;
    made->records_ = records;
    return made;
}

void RunFile::add(ByteSpan record) {
    append_record(pending_, length_, record);
}

Result<void> RunFile::write_out() {
    if (pending_.empty()) {
        return {};
    }
    TAFFRAIL_TRY(file_->write_at(length_, ByteSpan(pending_)));
    length_ += pending_.size();
    pending_.clear();
    return {};
}

}  // namespace taffrail::sinks::wandb
