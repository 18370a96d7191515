#include "seal/log_frames.h"

#include "base/try.h"
#include "codec/tlog/payload.h"
#include "io/files.h"
#include "io/inside.h"

#include <algorithm>

namespace taffrail::seal {

Result<LogFileScan> for_each_frame(
    const std::string& path,
    const std::function<Result<void>(const tlog::FrameHeader&, ByteSpan payload)>& on_frame) {
    // Small at first: callers that want a log's first frames only stop there.
    constexpr std::uint64_t kFirstWindow = 64 << 10, kWindow = 1 << 20;
    TAFFRAIL_ASSIGN(const auto file, io::open_inside(io::parent(io::parent(path)), path));
    TAFFRAIL_ASSIGN(const io::FileInfo info, file->info());
    LogFileScan scan;
    tlog::FrameScanner scanner;
    tlog::Decompressor decompressor;
    Bytes space, scratch;
    ByteSpan window;
    std::uint64_t window_start = 0, wanted = kFirstWindow;
    const auto refill = [&]() -> Result<void> {
        window_start = scanner.offset();
        const auto size = static_cast<std::size_t>(
            std::min(wanted, info.size - std::min(info.size, window_start)));
        if (space.size() < size) {
            space.resize(size);  // never made smaller: growing again would fill it with zeros
        }
        const auto part = std::span(space).first(size);
        TAFFRAIL_ASSIGN(const std::size_t got, file->read_at(window_start, part));
        window = part.first(got);
        return {};
    };
    TAFFRAIL_TRY(refill());
    while (true) {
        const ByteSpan rest =
            window.subspan(static_cast<std::size_t>(scanner.offset() - window_start));
        const bool reaches_end = window_start + window.size() >= info.size;
        switch (scanner.next(rest, reaches_end)) {
            case tlog::FrameScanner::Outcome::Frame:
                if (const auto payload = tlog::payload_of(scanner.frame(), scanner.stored(),
                                                          decompressor, scratch)) {
                    TAFFRAIL_TRY(on_frame(scanner.frame(), *payload));
                } else {
                    scan.damage.push_back({scanner.frame_offset(), scanner.frame().frame_bytes(),
                                           scanner.frame().first_seq,
                                           scanner.frame().first_seq + scanner.frame().rows,
                                           "a payload that does not decompress"});
                }
                scan.bytes = scanner.offset();
                break;
            case tlog::FrameScanner::Outcome::Duplicate:
                break;
            case tlog::FrameScanner::Outcome::Damage:
                scan.damage.push_back(scanner.damage());
                break;
            case tlog::FrameScanner::Outcome::NeedMore:
                wanted = std::max<std::uint64_t>(kWindow, scanner.needed());
                TAFFRAIL_TRY(refill());
                break;
            case tlog::FrameScanner::Outcome::Pending:
                return scan;
        }
    }
}

}  // namespace taffrail::seal
