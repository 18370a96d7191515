// The spool folder of a log writer: files written elsewhere while the run folder was full come home
// when it has room.
#include "base/diagnostics.h"
#include "base/try.h"
#include "io/files.h"
#include "store/layout.h"
#include "store/log_writer.h"

#include <fmt/core.h>

#include <algorithm>

namespace taffrail::store {
namespace {

Result<void> copy_file(const std::string& from, const std::string& to) {
    TAFFRAIL_ASSIGN(const Bytes bytes, io::read_file(from));
    return io::write_file_atomically(to, bytes);
}

}  // namespace

// Only when a new file in the run folder can be begun is the folder taken for well again.
void StoreLogWriter::come_home() {
    spooling_since_ = now();
    std::unique_ptr<io::File> spool_file = std::move(file_);
    if (open_file(run_folder_).ok()) {
        spooling_ = false;
        (void)bring_spool_home();
        return;
    }
    // The chain of the spool file is lost with the attempt; another file is begun there.
    file_.reset();
}

Result<void> StoreLogWriter::bring_spool_home() {
    while (!spooled_files_.empty()) {
        const std::string& from = spooled_files_.front();
        const std::string name = from.substr(from.find_last_of('/') + 1);
        if (auto copied = copy_file(from, io::join(io::join(run_folder_, kLiveFolder), name));
            !copied.ok()) {
            diagnose_once(
                DiagnosticLevel::Warning, "spool home " + run_folder_,
                fmt::format("part of the run is still in {}: {}", from, copied.error().message));
            return copied;
        }
        (void)io::remove(from);
        spooled_files_.erase(spooled_files_.begin());
    }
    return {};
}

}  // namespace taffrail::store
