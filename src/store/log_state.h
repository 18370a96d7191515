// What is known of a writer after some of its frames: the content of a checkpoint. The log writer
// keeps one to write checkpoints from, a reader keeps one to answer without reading points.
#pragma once

#include "codec/tlog/batch.h"
#include "codec/tlog/checkpoint.h"
#include "store/meta_state.h"
#include "store/series_totals.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace taffrail::store {

/// A hyperparameter record that owns its bytes.
struct KeptValue {
    tlog::ValueRecord record;
    Bytes metadata;
};

class LogState {
  public:
    struct Key {
        std::string name;
        Kind kind = Kind::Scalar;
        bool defined = false;
        SeriesTotals totals;
    };

    /// Adds the frame's definitions, totals and meta.
    void apply(const tlog::Batch& batch);
    /// Replaces everything but what the checkpoint does not carry (the environment).
    void restore(const tlog::Checkpoint& checkpoint);
    /// Only meta and hyperparameters: for logs whose rows are sealed.
    void restore_description(const tlog::Checkpoint& checkpoint);
    /// Views live until this object changes.
    [[nodiscard]] tlog::Checkpoint checkpoint(MetaState::Environment environment) const;

    /// Null for ids that were never defined.
    [[nodiscard]] const Key* key(std::uint32_t id) const noexcept;
    /// Null for ids that were never defined.
    [[nodiscard]] const std::vector<std::uint32_t>* schema(std::uint32_t id) const noexcept;

    [[nodiscard]] const std::vector<Key>& keys() const noexcept { return keys_; }

    [[nodiscard]] const MetaState& meta() const noexcept { return meta_; }

    [[nodiscard]] const std::vector<KeptValue>& hparams() const noexcept { return hparams_; }

    [[nodiscard]] const std::map<std::uint32_t, std::uint64_t>& ring_positions() const noexcept {
        return ring_positions_;
    }

    [[nodiscard]] std::int64_t last_time_ns() const noexcept { return last_time_ns_; }

    /// Only definitions, for a reader that knows the totals already.
    void define(const std::vector<tlog::KeyDefinition>& keys,
                const std::vector<tlog::SchemaDefinition>& schemas);

  private:
    Key* find(std::uint32_t id) noexcept;
    void seen_at(std::int64_t time_ns) noexcept;

    std::vector<Key> keys_;                            ///< by id
    std::vector<std::vector<std::uint32_t>> schemas_;  ///< by id
    std::vector<bool> schema_defined_;
    std::size_t defined_keys_ = 0, defined_schemas_ = 0;
    MetaState meta_;
    std::vector<KeptValue> hparams_;
    std::map<std::uint32_t, std::uint64_t> ring_positions_;
    std::int64_t last_time_ns_ = 0;
};

}  // namespace taffrail::store
