// Names to numbers, once per key. Looking up a known row takes no lock; a new one takes a mutex and
// one small write.
#pragma once

#include <taffrail/value.h>

#include "record/definitions.h"
#include "record/row_core.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::record {

class KeyRegistry final : public DefinitionSource {
  public:
    static constexpr std::size_t kMaxKeyBytes = 64 << 10;

    explicit KeyRegistry(Recorder* recorder);
    ~KeyRegistry() override;

    /// The row of these keys, made at first use. Null when a name is longer than kMaxKeyBytes or
    /// memory is short.
    detail::RowCore* row(std::span<const std::string_view> names) noexcept;
    /// The same for who keeps the pointer: it stays good when the run is gone.
    detail::RowCore* handle(std::span<const std::string_view> names) noexcept;
    /// The end of the run: rows that were given out as handles, turned over to `recorder`.
    std::vector<std::unique_ptr<detail::RowCore>> take_handles(Recorder* recorder);
    /// The number of a key of another kind; 0 on the same failures.
    std::uint32_t key(std::string_view name, Kind kind) noexcept;

    [[nodiscard]] const Definitions::Key* find_key(std::uint32_t id) const override;
    [[nodiscard]] const Definitions::Schema* find_schema(std::uint32_t id) const override;

    /// Where new definitions are written before their number is given out; null = nowhere. What is
    /// there already goes there at once.
    Result<void> attach(DefinitionsFile* file);
    /// Forgets the file without touching it.
    void detach() noexcept;

    /// Held over fork(), so that the child finds the tables whole.
    std::mutex& mutex() noexcept { return mutex_; }

  private:
    struct Table;

    detail::RowCore* find(const Table& table, std::uint64_t hash,
                          std::span<const std::string_view> names) const noexcept;
    detail::RowCore* add(std::uint64_t hash, std::span<const std::string_view> names);
    std::uint32_t add_key(std::string_view name, Kind kind);
    void insert(Table& table, detail::RowCore* row) const noexcept;
    // Writes what the file does not have yet; what fails is tried again with the next key.
    Result<void> publish();

    Recorder* recorder_;
    mutable std::mutex mutex_;
    std::atomic<Table*> table_;
    std::vector<std::unique_ptr<Table>>
        tables_;  // outgrown ones stay: a reader may still be inside
    std::vector<std::unique_ptr<detail::RowCore>> rows_;
    std::size_t row_count_ = 0;  // first parts only
    std::deque<Definitions::Key> keys_;
    std::deque<Definitions::Schema> schemas_;
    std::map<std::pair<std::string, Kind>, std::uint32_t, std::less<>> key_ids_;
    DefinitionsFile* file_ = nullptr;
    std::size_t published_keys_ = 0, published_schemas_ = 0;
};

}  // namespace taffrail::record
