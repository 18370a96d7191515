#include "sources/aim/table_folder.h"

#include "base/strings.h"
#include "codec/sst/manifest.h"
#include "io/files.h"
#include "io/inside.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <tuple>

namespace taffrail::sources::aim {
namespace {

constexpr std::uint64_t kLargestManifest = 256 << 20;

/// Whether every write is in a table: no log of writes has a byte.
bool is_at_rest(const std::string& repository, const std::string& folder) {
    const auto entries = io::list_inside(repository, folder);
    return entries.ok() && std::ranges::all_of(*entries, [&](const io::DirectoryEntry& entry) {
               if (!entry.name.ends_with(".log")) {
                   return true;
               }
               const auto log = io::stat_inside(repository, io::join(folder, entry.name));
               return log.ok() && log->size == 0;
           });
}

std::string name_of_table(std::uint64_t number) {
    char name[32];
    std::snprintf(name, sizeof name, "%06llu.sst", static_cast<unsigned long long>(number));
    return name;
}

std::optional<sst::Table> open_table(const std::string& repository, const std::string& folder,
                                     const sst::TableFile& wanted,
                                     const std::shared_ptr<sst::Scratch>& scratch) {
    auto opened = io::open_inside(repository, io::join(folder, name_of_table(wanted.number)));
    if (!opened.ok()) {
        return std::nullopt;
    }
    const std::shared_ptr<io::File> file = *std::move(opened);
    const auto info = file->info();
    if (!info.ok() || info->size != wanted.size) {
        return std::nullopt;
    }
    return sst::Table::open(
        [file](std::uint64_t offset, std::span<std::byte> to) {
            const auto read = file->read_at(offset, to);
            return read.ok() && *read == to.size();
        },
        wanted.size, wanted.largest_sequence, scratch);
}

struct Found {
    std::string key, value;
    std::uint64_t sequence = 0;
    bool is_value = false;
};

struct Range {
    std::string begin, end;
    std::uint64_t sequence = 0;
};

/// Keys must come in order.
class Deleted {
  public:
    explicit Deleted(std::vector<Range> ranges) : ranges_(std::move(ranges)) {
        std::ranges::sort(ranges_, {}, &Range::begin);
    }

    /// The highest sequence of the ranges that hold the key; 0: none does.
    std::uint64_t newest_of(std::string_view key) {
        for (; next_ < ranges_.size() && ranges_[next_].begin <= key; ++next_) {
            open_.push_back(&ranges_[next_]);
        }
        std::erase_if(open_, [&](const auto* range) { return range->end <= key; });
        std::uint64_t newest = 0;
        for (const auto* range : open_) {
            newest = std::max(newest, range->sequence);
        }
        return newest;
    }

  private:
    std::vector<Range> ranges_;
    std::vector<const Range*> open_;
    std::size_t next_ = 0;
};

}  // namespace

std::optional<TableFolder> TableFolder::open(const std::string& repository,
                                             const std::string& folder) {
    // The logs are looked at first: what they give up meanwhile is in the tables that are read of
    // next.
    if (!is_at_rest(repository, folder)) {
        return std::nullopt;
    }
    const auto current = io::read_inside(repository, io::join(folder, "CURRENT"), 100);
    const std::string name(current.ok() ? trim(as_text(*current)) : std::string_view());
    if (!name.starts_with("MANIFEST-") || !io::is_plain_name(name)) {
        return std::nullopt;
    }
    const auto manifest = io::read_inside(repository, io::join(folder, name), kLargestManifest);
    const auto listed = manifest.ok() ? sst::read_manifest(*manifest) : std::nullopt;
    if (!listed) {
        return std::nullopt;
    }
    TableFolder opened;
    const auto scratch = std::make_shared<sst::Scratch>();
    for (const sst::TableFile& wanted : *listed) {
        auto table = open_table(repository, folder, wanted, scratch);
        if (!table) {
            return std::nullopt;
        }
        opened.tables_.push_back(*std::move(table));
    }
    return opened;
}

bool TableFolder::scan(std::string_view prefix, const Visit& visit) {
    constexpr std::size_t kMostBytes = 64 << 20, kMostRanges = 2'000;
    std::vector<Found> found;
    std::vector<Range> ranges;
    std::size_t bytes = 0;
    for (sst::Table& table : tables_) {
        const bool is_whole = table.scan(prefix, [&](const sst::Entry& entry) {
            bytes += sizeof(Found) + entry.key.size() + entry.value.size();
            found.push_back({std::string(entry.key), std::string(entry.value), entry.sequence,
                             entry.type == sst::EntryType::Value});
            return bytes <= kMostBytes;
        });
        if (!is_whole || !table.deleted_ranges([&](const sst::DeletedRange& range) {
                bytes += sizeof(Range) + range.begin.size() + range.end.size();
                ranges.push_back(
                    {std::string(range.begin), std::string(range.end), range.sequence});
                return bytes <= kMostBytes;
            })) {
            return false;
        }
    }
    // Aim deletes each key that it is about to write, again and again: of equal ranges the newest
    // says it all.
    std::ranges::sort(ranges, [](const auto& a, const auto& b) {
        return std::tie(a.begin, a.end, b.sequence) < std::tie(b.begin, b.end, a.sequence);
    });
    const auto equal = std::ranges::unique(
        ranges, [](const auto& a, const auto& b) { return a.begin == b.begin && a.end == b.end; });
    ranges.erase(equal.begin(), equal.end());
    if (ranges.size() > kMostRanges) {
        return false;
    }
    std::ranges::sort(found, [](const Found& a, const Found& b) {
        return a.key != b.key ? a.key < b.key : a.sequence > b.sequence;
    });
    Deleted deleted(std::move(ranges));
    const std::string* before = nullptr;
    for (const Found& one : found) {
        const bool is_newest = before == nullptr || *before != one.key;
        before = &one.key;
        if (is_newest && one.is_value && one.sequence >= deleted.newest_of(one.key)) {
            visit(one.key, one.value);
        }
    }
    return true;
}

}  // namespace taffrail::sources::aim
