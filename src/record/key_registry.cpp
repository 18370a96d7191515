#include "record/key_registry.h"

#include "base/diagnostics.h"
#include "base/utf8.h"
#include "record/ring_layout.h"

#include <algorithm>
#include <functional>

namespace taffrail::record {

// Open addressing, at most half full; slots only ever go from null to a row.
struct KeyRegistry::Table {
    explicit Table(std::size_t size)
        : mask(size - 1), slots(new std::atomic<detail::RowCore*>[size]()) {}

    std::size_t mask;
    std::unique_ptr<std::atomic<detail::RowCore*>[]> slots;
};

namespace {

std::uint64_t hash_names(std::span<const std::string_view> names) noexcept {
    std::uint64_t hash = names.size();
    for (std::string_view name : names) {
        hash = (hash ^ std::hash<std::string_view>{}(name)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

}  // namespace

KeyRegistry::KeyRegistry(Recorder* recorder) : recorder_(recorder) {
    tables_.push_back(std::make_unique<Table>(64));
    table_.store(tables_.back().get(), std::memory_order_release);
}

KeyRegistry::~KeyRegistry() = default;

detail::RowCore* KeyRegistry::find(const Table& table, std::uint64_t hash,
                                   std::span<const std::string_view> names) const noexcept {
    for (std::size_t at = hash & table.mask;; at = (at + 1) & table.mask) {
        detail::RowCore* row = table.slots[at].load(std::memory_order_acquire);
        if (row == nullptr) {
            return nullptr;
        }
        if (row->names->hash == hash &&
            std::equal(names.begin(), names.end(), row->names->names.begin(),
                       row->names->names.end())) {
            return row;
        }
    }
}

void KeyRegistry::insert(Table& table, detail::RowCore* row) const noexcept {
    std::size_t at = row->names->hash & table.mask;
    while (table.slots[at].load(std::memory_order_relaxed) != nullptr) {
        at = (at + 1) & table.mask;
    }
    table.slots[at].store(row, std::memory_order_release);
}

detail::RowCore* KeyRegistry::row(std::span<const std::string_view> names) noexcept {
    const std::uint64_t hash = hash_names(names);
    if (detail::RowCore* known = find(*table_.load(std::memory_order_acquire), hash, names)) {
        return known;
    }
    try {
        return add(hash, names);
    } catch (const std::bad_alloc&) {
        diagnose_once(DiagnosticLevel::Error, "record.memory",
                      "out of memory while adding a key; it is not recorded");
        return nullptr;
    }
}

detail::RowCore* KeyRegistry::handle(std::span<const std::string_view> names) noexcept {
    detail::RowCore* row = this->row(names);
    if (row != nullptr) {
        row->is_handle.store(true, std::memory_order_relaxed);
    }
    return row;
}

std::vector<std::unique_ptr<detail::RowCore>> KeyRegistry::take_handles(Recorder* recorder) {
    const std::lock_guard guard(mutex_);
    std::vector<std::unique_ptr<detail::RowCore>> handles;
    bool is_handle = false;  // parts of a wide row follow their first one
    for (auto& row : rows_) {
        is_handle =
            row->names != nullptr ? row->is_handle.load(std::memory_order_relaxed) : is_handle;
        if (is_handle) {
            row->names.reset();
            row->recorder.store(recorder, std::memory_order_release);
            handles.push_back(std::move(row));
        }
    }
    return handles;
}

detail::RowCore* KeyRegistry::add(std::uint64_t hash, std::span<const std::string_view> names) {
    if (names.empty() || std::any_of(names.begin(), names.end(), [](std::string_view name) {
            return name.size() > kMaxKeyBytes;
        })) {
        return nullptr;
    }
    const std::lock_guard guard(mutex_);
    Table* table = table_.load(std::memory_order_relaxed);
    if (detail::RowCore* known = find(*table, hash, names)) {
        return known;
    }
    detail::RowCore* first = nullptr;
    detail::RowCore* last = nullptr;
    for (std::size_t at = 0; at < names.size(); at += kMaxRowWidth) {
        const auto part = names.subspan(at, std::min(kMaxRowWidth, names.size() - at));
        detail::RowCore& row = *rows_.emplace_back(std::make_unique<detail::RowCore>());
        row.recorder = recorder_;
        row.width = static_cast<std::uint32_t>(part.size());
        std::vector<std::uint32_t> keys;
        for (std::string_view name : part) {
            keys.push_back(add_key(name, Kind::Scalar));
        }
        row.schema = static_cast<std::uint32_t>(schemas_.size() + 1);
        schemas_.push_back({row.schema, std::move(keys)});
        (first == nullptr ? first : last->continuation) = &row;
        last = &row;
    }
    first->total_width = static_cast<std::uint32_t>(names.size());
    first->names = std::make_unique<detail::RowCore::Names>();
    first->names->hash = hash;
    first->names->names.assign(names.begin(), names.end());
    (void)publish();
    if (++row_count_ * 2 > table->mask) {
        tables_.push_back(std::make_unique<Table>((table->mask + 1) * 2));
        Table* bigger = tables_.back().get();
        for (std::size_t i = 0; i <= table->mask; ++i) {
            if (detail::RowCore* row = table->slots[i].load(std::memory_order_relaxed)) {
                insert(*bigger, row);
            }
        }
        insert(*bigger, first);
        table_.store(bigger, std::memory_order_release);
    } else {
        insert(*table, first);
    }
    return first;
}

std::uint32_t KeyRegistry::add_key(std::string_view name, Kind kind) {
    // Bytes that are no UTF-8 would make the run unreadable for JSON and Parquet users; the
    // repaired name stays visible.
    std::string stored = is_valid_utf8(name) ? std::string(name) : repair_utf8(name);
    const auto [found, added] =
        key_ids_.try_emplace({stored, kind}, static_cast<std::uint32_t>(keys_.size() + 1));
    if (added) {
        keys_.push_back({found->second, kind, std::move(stored)});
    }
    return found->second;
}

std::uint32_t KeyRegistry::key(std::string_view name, Kind kind) noexcept {
    if (name.size() > kMaxKeyBytes) {
        return 0;
    }
    try {
        const std::lock_guard guard(mutex_);
        const std::uint32_t id = add_key(name, kind);
        (void)publish();
        return id;
    } catch (const std::bad_alloc&) {
        return 0;
    }
}

Result<void> KeyRegistry::publish() {
    if (file_ == nullptr ||
        (published_keys_ == keys_.size() && published_schemas_ == schemas_.size())) {
        return {};
    }
    const std::vector<Definitions::Key> keys(
        keys_.begin() + static_cast<std::ptrdiff_t>(published_keys_), keys_.end());
    const std::vector<Definitions::Schema> schemas(
        schemas_.begin() + static_cast<std::ptrdiff_t>(published_schemas_), schemas_.end());
    if (auto written = file_->append(keys, schemas); !written.ok()) {
        // The log itself will name the key; only a kill before the next flush could not be
        // recovered.
        diagnose_once(DiagnosticLevel::Warning, "record.keys",
                      "new keys are not safe against a crash until the next flush: " +
                          written.error().message);
        return written;
    }
    published_keys_ = keys_.size();
    published_schemas_ = schemas_.size();
    return {};
}

const Definitions::Key* KeyRegistry::find_key(std::uint32_t id) const {
    const std::lock_guard guard(mutex_);
    return id - 1 < keys_.size() ? &keys_[id - 1] : nullptr;
}

const Definitions::Schema* KeyRegistry::find_schema(std::uint32_t id) const {
    const std::lock_guard guard(mutex_);
    return id - 1 < schemas_.size() ? &schemas_[id - 1] : nullptr;
}

Result<void> KeyRegistry::attach(DefinitionsFile* file) {
    const std::lock_guard guard(mutex_);
    file_ = file;
    published_keys_ = published_schemas_ = 0;
    return publish();
}

void KeyRegistry::detach() noexcept {
    file_ = nullptr;
}

}  // namespace taffrail::record
