#include "sources/aim/metric_columns.h"

#include "base/try.h"
#include "codec/formats/aim/encoding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace taffrail::sources::aim {

using namespace formats::aim;

namespace {

constexpr std::size_t kPlace = 10;  // bytes of a number in a path
constexpr std::size_t kMostNames = 64 << 20;

std::uint64_t place_in(std::string_view number) {
    return __builtin_bswap64(load<std::uint64_t>(number.data() + 1));
}

double number_of(std::string_view value) {
    return value.size() == 9 && value[0] == static_cast<char>(LeafType::Number)
               ? load<double>(value.data() + 1)
               : parse_leaf(as_bytes(value)).number;
}

double epoch_of(std::string_view value) {
    return value.size() == 1 && value[0] == static_cast<char>(LeafType::None)
               ? std::numeric_limits<double>::quiet_NaN()
               : number_of(value);
}

std::int64_t step_of(std::string_view value) {
    const Leaf leaf = parse_leaf(as_bytes(value));
    constexpr double kMost = 9.2e18;
    return leaf.type != LeafType::Number    ? leaf.whole
           : std::abs(leaf.number) <= kMost ? static_cast<std::int64_t>(leaf.number)
                                            : 0;
}

enum class What : std::uint8_t { Value, Step, Time, Epoch };

std::optional<What> what_in(std::string_view name) {
    return name == "val"     ? std::optional(What::Value)
           : name == "step"  ? std::optional(What::Step)
           : name == "time"  ? std::optional(What::Time)
           : name == "epoch" ? std::optional(What::Epoch)
                             : std::nullopt;
}

void take(MetricColumns& to, What what, std::uint64_t at, std::string_view value,
          std::uint64_t sequence) {
    switch (what) {
        case What::Value:
            to.value.push_back({at, number_of(value), sequence});
            break;
        case What::Step:
            to.step.push_back({at, step_of(value), sequence});
            break;
        case What::Time:
            to.time.push_back({at, number_of(value), sequence});
            break;
        case What::Epoch:
            to.epoch.push_back({at, epoch_of(value), sequence});
            break;
    }
}

template <typename Do>
auto with_column(MetricColumns& of, What what, Do&& act) {
    return what == What::Step    ? act(of.step)
           : what == What::Value ? act(of.value)
           : what == What::Time  ? act(of.time)
                                 : act(of.epoch);
}

/// The columns that one table has a part of, by the part of a key that its cells share.
class Parts {
  public:
    Parts(Metrics& metrics, std::string prefix) : metrics_(metrics), prefix_(std::move(prefix)) {}

    bool read(sst::Table& table) {
        parts_.clear();
        name_bytes_ = 0;
        Part* part = nullptr;
        const std::string* name = nullptr;  // of that part: what its cells have in common
        const bool is_whole = table.scan(prefix_, [&](const sst::Entry& entry) {
            if (entry.key.size() < prefix_.size() + kPlace) {
                return true;  // the mark of something above the columns
            }
            const std::size_t length = entry.key.size() - kPlace;
            // Neighbours are mostly cells of one column.
            const bool is_same = name != nullptr && name->size() == length &&
                                 (entry.shared >= length || entry.key.starts_with(*name));
            if (!is_same) {
                auto& known = part_of(entry.key.substr(0, length));
                if (name_bytes_ > kMostNames) {
                    return false;  // a few bytes of a table can say a long name again and again
                }
                name = &known.first;
                part = &known.second;
            }
            if (part->column == nullptr) {
                return true;  // the mark of an array stands there
            }
            if (entry.type != sst::EntryType::Value) {
                return false;
            }
            take(*part->column, part->what, place_in(entry.key.substr(length)), entry.value,
                 entry.sequence);
            return true;
        });
        if (!is_whole || !are_written_again(table)) {
            return false;
        }
        for (auto& [key, one] : parts_) {
            if (one.column != nullptr) {
                with_column(*one.column, one.what, [&](auto& cells) { join(cells, one.first); });
            }
        }
        return true;
    }

  private:
    struct Part {
        MetricColumns* column = nullptr;
        What what = What::Value;
        std::size_t first = 0;  ///< cells before this one are those of other tables
    };

    std::pair<const std::string, Part>& part_of(std::string_view key) {
        if (const auto known = parts_.find(key); known != parts_.end()) {
            return *known;
        }
        name_bytes_ += key.size();
        Part part;
        const auto rest = parse_path(as_bytes(key.substr(prefix_.size())));
        if (rest && rest->size() == 3) {
            const auto* context = std::get_if<std::int64_t>(&(*rest)[0]);
            const auto* name = std::get_if<std::string>(&(*rest)[1]);
            const auto* what = std::get_if<std::string>(&(*rest)[2]);
            const auto known = what != nullptr ? what_in(*what) : std::nullopt;
            if (context != nullptr && name != nullptr && known) {
                part.column = &metrics_[{*context, *name}];
                part.what = *known;
                part.first = with_column(*part.column, part.what,
                                         [](const auto& cells) { return cells.size(); });
            }
        }
        return *parts_.emplace(key, part).first;
    }

    /// Aim deletes what stands in a cell and writes it in one go. Where that is all that was
    /// deleted, the newest cell counts, and nothing else need be known of it.
    bool are_written_again(sst::Table& table) {
        const std::string behind = prefix_.substr(0, prefix_.size() - 1) + '\xFF';
        return table.deleted_ranges([&](const sst::DeletedRange& range) {
            const bool is_elsewhere = range.end <= prefix_ || range.begin >= behind;
            const bool is_of_cell = range.begin.size() >= prefix_.size() + kPlace &&
                                    range.end.size() == range.begin.size() + 1 &&
                                    range.end.starts_with(range.begin) &&
                                    range.end.back() == '\xFF';
            return is_elsewhere || (is_of_cell && is_written_behind(range));
        });
    }

    bool is_written_behind(const sst::DeletedRange& range) {
        const std::size_t length = range.begin.size() - kPlace;
        const auto found = parts_.find(range.begin.substr(0, length));
        if (found == parts_.end() || found->second.column == nullptr) {
            return false;
        }
        const std::uint64_t at = place_in(range.begin.substr(length));
        return with_column(*found->second.column, found->second.what, [&](const auto& cells) {
            const auto own = std::span(cells).subspan(found->second.first);
            const auto cell =
                std::ranges::lower_bound(own, at, {}, [](const auto& one) { return one.at; });
            return cell != own.end() && cell->at == at && cell->sequence >= range.sequence;
        });
    }

    /// Cells from `first` on are another table's. The newer of two at one place stays.
    template <typename T>
    static void join(std::vector<Spot<T>>& cells, std::size_t first) {
        const auto before = [](const Spot<T>& a, const Spot<T>& b) {
            return a.at != b.at ? a.at < b.at : a.sequence > b.sequence;
        };
        const auto middle = cells.begin() + static_cast<std::ptrdiff_t>(first);
        if (first > 0 && first < cells.size() && !before(*(middle - 1), *middle)) {
            std::inplace_merge(cells.begin(), middle, cells.end(), before);
        }
        const auto equal =
            std::ranges::unique(cells, {}, [](const Spot<T>& cell) { return cell.at; });
        cells.erase(equal.begin(), equal.end());
    }

    Metrics& metrics_;
    const std::string prefix_;
    std::map<std::string, Part, std::less<>> parts_;
    std::size_t name_bytes_ = 0;  ///< of `parts_`
};

}  // namespace

std::optional<Metrics> read_metrics(TableFolder& folder, const std::string& hash) {
    Metrics metrics;
    Parts parts(metrics, Path({"seqs", "v2", "chunks", hash}).bytes());
    for (sst::Table& table : folder.tables()) {
        if (!parts.read(table)) {
            return std::nullopt;
        }
    }
    return metrics;
}

Result<void> read_columns(rocksdb::Store& store, const std::string& base, MetricColumns& to) {
    constexpr std::pair<std::string_view, What> kColumns[] = {
        {"val", What::Value}, {"step", What::Step}, {"time", What::Time}, {"epoch", What::Epoch}};
    Result<void> said;
    for (const auto& [name, what] : kColumns) {
        const std::string prefix = base + Path({name}).bytes();
        auto scanned = store.scan(prefix, [&](std::string_view key, std::string_view value) {
            key.remove_prefix(prefix.size());
            if (key.size() == kPlace) {
                take(to, what, place_in(key), value, 0);
            }
            return true;
        });
        if (said.ok()) {
            said = std::move(scanned);
        }
    }
    return said;
}

}  // namespace taffrail::sources::aim
