#include "profilers/common/report_files.h"

#include "base/try.h"
#include "io/files.h"

#include <cctype>

namespace taffrail::profilers {

std::string safe_file_name(std::string_view name) {
    std::string safe;
    for (const char letter : name) {
        const auto code = static_cast<unsigned char>(letter);
        const bool fine = code >= 0x80 || std::isalnum(code) != 0 || letter == '-' ||
                          letter == '_' || letter == '.';
        if (fine) {
            safe += letter;
        } else if (safe.empty() || safe.back() != '_') {
            safe += '_';
        }
    }
    constexpr std::size_t kLongest = 200;  // of the 255 bytes that file systems give
    if (safe.size() > kLongest) {
        safe.resize(kLongest);
    }
    return safe.empty() || safe == "." || safe == ".." ? "profile" : safe;
}

void ReportFiles::configure(const ProfilerOptions& options) {
    dirpath_ = options.dirpath;
    filename_ = options.filename;
}

void ReportFiles::setup(std::string_view stage, std::optional<int> rank,
                        const std::string& folder) {
    stage_ = stage;
    rank_ = rank;
    folder_ = filename_.empty() ? "" : dirpath_.empty() ? folder : dirpath_;
}

std::string ReportFiles::path(std::string_view action, std::string_view extension) const {
    std::string name;
    const auto add = [&](std::string_view part) {
        if (!part.empty()) {
            name += (name.empty() ? "" : "-") + std::string(part);
        }
    };
    add(stage_);
    add(filename_);
    if (rank_) {
        add(std::to_string(*rank_));
    }
    add(action);
    return io::join(folder_, safe_file_name(name) + std::string(extension));
}

Result<void> ReportFiles::write(const std::string& path, ByteSpan bytes, bool append) const {
    TAFFRAIL_TRY(io::make_directories(folder_));
    TAFFRAIL_ASSIGN(const auto file,
                    io::open(path, append ? io::OpenMode::CreateOrOpen : io::OpenMode::Truncate));
    return file->append(bytes);
}

std::string ReportFiles::heading() const {
    std::string stage = stage_;
    for (char& letter : stage) {
        letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
    return (stage.empty() ? "" : stage + " ") + "Profiler Report" +
           (rank_ ? " (rank " + std::to_string(*rank_) + ")" : "");
}

}  // namespace taffrail::profilers
