#include "seal/file_check.h"

#include "base/crc32c.h"
#include "base/try.h"
#include "io/files.h"
#include "io/inside.h"
#include "seal/log_frames.h"
#include "seal/sealed_file.h"
#include "seal/values_table.h"

#include <optional>

namespace taffrail::seal {
namespace {

struct Sum {
    std::uint64_t bytes = 0;
    std::uint32_t crc = 0;
};

Result<Sum> sum_of(const std::string& path) {
    constexpr std::size_t kWindow = 1 << 20;
    TAFFRAIL_ASSIGN(const auto file, io::open_inside(io::parent(io::parent(path)), path));
    Sum sum;
    Bytes window(kWindow);
    while (true) {
        TAFFRAIL_ASSIGN(const std::size_t got, file->read_at(sum.bytes, window));
        sum.crc = crc32c(ByteSpan(window).first(got), sum.crc);
        sum.bytes += got;
        if (got < kWindow) {
            return sum;
        }
    }
}

void check_rest(const std::string& path, DamageNotes& notes) {
    const auto scan =
        for_each_frame(path, [](const tlog::FrameHeader&, ByteSpan) -> Result<void> { return {}; });
    if (!scan.ok()) {
        notes.add({path, 0, 0, 0, 0, scan.error().message});
        return;
    }
    for (const tlog::DamagedRange& range : scan->damage) {
        notes.add({path, range.offset, range.length, 0, 0, std::string(range.reason)});
    }
}

}  // namespace

bool is_whole(const std::string& path, const SealedFileInfo& info) {
    const auto sum = sum_of(path);
    return sum.ok() && sum->bytes == info.bytes && sum->crc == info.crc;
}

Result<void> measure(const std::string& path, SealedFileInfo& info) {
    TAFFRAIL_ASSIGN(const Sum sum, sum_of(path));
    info.bytes = sum.bytes;
    info.crc = sum.crc;
    info.crc_is_known = true;
    return {};
}

std::vector<Damage> check_file(const std::string& path, const SealedFileInfo& info) {
    const auto sum = sum_of(path);
    if (!sum.ok()) {
        return {{path, 0, info.bytes, 0, 0, sum.error().message}};
    }
    if (sum->bytes == info.bytes && sum->crc == info.crc) {
        return {};
    }
    // Only now, since it decodes everything: which rows of the file it is.
    const auto notes = std::make_shared<DamageNotes>();
    std::optional<Error> unreadable;
    if (info.kind == SealedFileInfo::Kind::Scalars) {
        if (const auto file = SealedFile::open(path, notes); file.ok()) {
            (*file)->read_everything();
        } else {
            unreadable = file.error();
        }
    } else if (info.kind == SealedFileInfo::Kind::Values) {
        if (const auto checked = ValuesTable::check(path, info.rows, *notes); !checked.ok()) {
            unreadable = checked.error();
        }
    } else {
        check_rest(path, *notes);
    }
    // Wrong bytes that nothing needs are damage as well: the file is not what was written.
    std::vector<Damage> found = notes->list();
    if (found.empty() || unreadable) {
        found.push_back({path, 0, sum->bytes, 0, 0,
                         unreadable ? unreadable->message
                         : sum->bytes != info.bytes
                             ? "it has " + std::to_string(sum->bytes) +
                                   " bytes where the manifest says " + std::to_string(info.bytes)
                             : "it fails its checksum, in bytes that nothing read from it needs"});
    }
    return found;
}

}  // namespace taffrail::seal
