#include "base/try.h"
#include "io/files.h"
#include "profile/index/layout.h"

#include <unistd.h>

#include <atomic>
#include <cstring>

namespace taffrail::profile {

Result<std::unique_ptr<IndexWriter>> IndexWriter::begin(const std::string& path) {
    // Several programs may make the index of one file at a time: each its own, and any will do.
    static std::atomic<std::uint32_t> count = 0;
    std::unique_ptr<IndexWriter> writer(new IndexWriter(path));
    writer->unfinished_ =
        path + "." + std::to_string(::getpid()) + "-" + std::to_string(++count) + kUnfinished;
    TAFFRAIL_ASSIGN(writer->file_, io::open(writer->unfinished_, io::OpenMode::Truncate));
    std::memcpy(writer->head_.magic.data(), kIndexMagic.data(), kIndexMagic.size());
    const IndexHead empty;
    TAFFRAIL_TRY(
        writer->file_->append(ByteSpan(reinterpret_cast<const std::byte*>(&empty), sizeof empty)));
    return writer;
}

IndexWriter::~IndexWriter() {
    if (!is_finished_) {
        file_.reset();
        (void)io::remove(unfinished_);
    }
}

void IndexWriter::open_section(Section section) {
    open_ = section;
    head_.places[static_cast<std::size_t>(section)].offset = file_->end();
}

void IndexWriter::add(ByteSpan bytes) {
    if (failure_.ok() && !bytes.empty()) {
        failure_ = file_->append(bytes);
    }
}

void IndexWriter::close_section() {
    IndexHead::Place& place = head_.places[static_cast<std::size_t>(open_)];
    place.bytes = file_->end() - place.offset;
    static constexpr std::array<std::byte, 8> kPadding = {};
    add(ByteSpan(kPadding).first((8 - place.bytes % 8) % 8));
}

void IndexWriter::section(Section section, ByteSpan bytes) {
    open_section(section);
    add(bytes);
    close_section();
}

Result<void> IndexWriter::finish() {
    TAFFRAIL_TRY(failure_);
    head_.file_bytes = file_->end();
    TAFFRAIL_TRY(
        file_->write_at(0, ByteSpan(reinterpret_cast<const std::byte*>(&head_), sizeof head_)));
    file_.reset();
    TAFFRAIL_TRY(io::rename(unfinished_, path_));
    is_finished_ = true;
    return {};
}

}  // namespace taffrail::profile
