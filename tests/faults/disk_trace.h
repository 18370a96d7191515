// A recorded trace of writes, syncs and renames, and the disks a power cut may leave of it.
//
// The model is the strict one of POSIX: bytes are safe behind a sync of their file, names behind a
// sync of their folder, and whatever is not safe may be there or not, block by block and name by
// name.
#pragma once

#include "io/fault.h"
#include "io/files.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace taffrail::test {

/// Something a power cut may lose: a block of one write, a change of size, or a change of a name.
struct TraceUnit {
    std::size_t entry = 0;
    std::uint64_t begin = 0, end = 0;  ///< bytes of the write
};

class DiskTrace {
  public:
    DiskTrace(std::vector<io::TraceEntry> entries, std::uint64_t block)
        : entries_(std::move(entries)), file_of_(entries_.size(), 0), block_(block) {
        std::map<std::string, std::size_t> names;
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            const io::TraceEntry& entry = entries_[i];
            if (entry.operation == io::Operation::Open && names.contains(entry.path)) {
                file_of_[i] = names[entry.path];
            } else if (entry.operation == io::Operation::Open) {
                file_of_[i] = names[entry.path] = files_++;
            } else if (names.contains(entry.path)) {
                file_of_[i] = names[entry.path];
            }
            if (entry.operation == io::Operation::Rename) {
                names[entry.to] = file_of_[i];
                names.erase(entry.path);
            } else if (entry.operation == io::Operation::Remove) {
                names.erase(entry.path);
            }
        }
    }

    [[nodiscard]] const std::vector<io::TraceEntry>& entries() const { return entries_; }

    /// What is not safe when the power goes after the first `count` entries.
    [[nodiscard]] std::vector<TraceUnit> unsafe(std::size_t count) const {
        std::vector<TraceUnit> units;
        std::set<std::size_t> synced_files;
        std::set<std::string> synced_folders;
        for (std::size_t i = count; i-- > 0;) {
            const io::TraceEntry& entry = entries_[i];
            switch (entry.operation) {
                case io::Operation::Sync:
                    synced_files.insert(file_of_[i]);
                    break;
                case io::Operation::SyncFolder:
                    synced_folders.insert(entry.path);
                    break;
                case io::Operation::Write:
                    if (!synced_files.contains(file_of_[i])) {
                        add_blocks(units, i);
                    }
                    break;
                case io::Operation::Resize:
                    if (!synced_files.contains(file_of_[i])) {
                        units.push_back({i, 0, 0});
                    }
                    break;
                default:
                    if (!synced_folders.contains(io::parent(entry.path))) {
                        units.push_back({i, 0, 0});
                    }
            }
        }
        return units;
    }

    /// The files on the disk after the first `count` entries without those units.
    [[nodiscard]] std::map<std::string, Bytes> disk(std::size_t count,
                                                    const std::vector<TraceUnit>& lost) const {
        std::map<std::size_t, std::vector<TraceUnit>> gone;
        for (const TraceUnit& unit : lost) {
            gone[unit.entry].push_back(unit);
        }
        std::vector<Bytes> contents(files_);
        std::map<std::string, std::size_t> names;
        for (std::size_t i = 0; i < count; ++i) {
            const io::TraceEntry& entry = entries_[i];
            const auto missing = gone.find(i);
            if (entry.operation == io::Operation::Write) {
                write(contents[file_of_[i]], entry,
                      missing == gone.end() ? std::vector<TraceUnit>() : missing->second);
            } else if (missing != gone.end()) {
                continue;
            } else if (entry.operation == io::Operation::Resize) {
                contents[file_of_[i]].resize(entry.offset);
            } else if (entry.operation == io::Operation::Open) {
                names[entry.path] = file_of_[i];
            } else if (entry.operation == io::Operation::Rename) {
                names.erase(entry.path);
                names[entry.to] = file_of_[i];
            } else if (entry.operation == io::Operation::Remove) {
                names.erase(entry.path);
            }
        }
        std::map<std::string, Bytes> files;
        for (const auto& [name, file] : names) {
            files[name] = contents[file];
        }
        return files;
    }

  private:
    void add_blocks(std::vector<TraceUnit>& units, std::size_t entry) const {
        const std::uint64_t first = entries_[entry].offset;
        const std::uint64_t last = first + entries_[entry].bytes.size();
        for (std::uint64_t at = first; at < last;) {
            const std::uint64_t end = std::min(last, (at / block_ + 1) * block_);
            units.push_back({entry, at - first, end - first});
            at = end;
        }
    }

    // Lost blocks read as what was there before, or as zeros where nothing was.
    static void write(Bytes& to, const io::TraceEntry& entry, const std::vector<TraceUnit>& lost) {
        std::vector<bool> keep(entry.bytes.size(), true);
        for (const TraceUnit& unit : lost) {
            std::fill(keep.begin() + static_cast<std::ptrdiff_t>(unit.begin),
                      keep.begin() + static_cast<std::ptrdiff_t>(unit.end), false);
        }
        for (std::size_t i = 0; i < keep.size(); ++i) {
            if (keep[i]) {
                if (to.size() <= entry.offset + i) {
                    to.resize(entry.offset + i + 1);
                }
                to[entry.offset + i] = entry.bytes[i];
            }
        }
    }

    std::vector<io::TraceEntry> entries_;
    std::vector<std::size_t> file_of_;
    std::size_t files_ = 0;
    std::uint64_t block_;
};

}  // namespace taffrail::test
