#include "record/cursor.h"

#include "base/crc32c.h"
#include "base/names.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"
#include "io/replace_file.h"
#include "record/identity.h"

namespace taffrail::record {
namespace {

constexpr std::uint64_t kMaxBytes = 4096, kMaxKeptBytes = std::uint64_t{256} << 20;
constexpr std::uint64_t kMagic = 0x3130525543464154;  // "TAFCUR01"

}  // namespace

std::string cursor_path(const std::string& run_folder, std::string_view sink,
                        std::uint64_t writer) {
    return io::join(io::join(run_folder, "cursors"),
                    folder_safe(sink) + '-' + writer_name(writer) + ".cursor");
}

std::string unclosed_path(const std::string& cursor_path) {
    return cursor_path + ".unclosed";
}

std::string closed_path(const std::string& cursor_path) {
    return cursor_path + ".closed";
}

Result<LogPosition> read_cursor(const std::string& path) {
    auto bytes = io::read_inside(io::parent(io::parent(path)), path, kMaxBytes);
    if (!bytes.ok()) {
        return bytes.error().code == ErrorCode::NotFound ? Result<LogPosition>(LogPosition{})
                                                         : bytes.error();
    }
    ByteCursor fields(*bytes);
    const auto magic = fields.read<std::uint64_t>();
    LogPosition position;
    position.file_number = fields.read<std::uint32_t>();
    position.offset = fields.read<std::uint64_t>();
    position.within = fields.read<std::uint64_t>();
    const std::size_t length = fields.offset();
    const auto crc = fields.read<std::uint32_t>();
    if (!fields.ok() || magic != kMagic || crc != crc32c(ByteSpan(*bytes).first(length))) {
        return Error{
            ErrorCode::Corrupt,
            path + " is damaged; remove it to deliver the log to this sink from its start"};
    }
    return position;
}

Result<std::string> read_kept_text(const std::string& path) {
    TAFFRAIL_ASSIGN(const Bytes bytes,
                    io::read_inside(io::parent(io::parent(path)), path, kMaxKeptBytes));
    return std::string(as_text(bytes));
}

Result<void> write_cursor(const std::string& path, LogPosition position) {
    Bytes bytes;
    append(bytes, kMagic);
    append(bytes, position.file_number);
    append(bytes, position.offset);
    append(bytes, position.within);
    append(bytes, crc32c(bytes));
    // An older place is no harm: what is handed over again is taken once.
    if (auto written = io::replace_file(path, bytes); written.ok()) {
        return written;
    }
    TAFFRAIL_TRY(io::make_directories(io::parent(path)));
    return io::replace_file(path, bytes);
}

Result<LogPosition> end_of(LogReader& log) {
    LogPosition end;
    for (bool more = true; more;) {
        TAFFRAIL_ASSIGN(const LogReader::Chunk chunk, log.read(end, 0, 1 << 20));
        more = chunk.next != end;
        end = chunk.next;
    }
    return end;
}

}  // namespace taffrail::record
