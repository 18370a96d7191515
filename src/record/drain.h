// Ring entries into a batch: the loop the collector spends its time in, and the same one that reads
// the rings a dead process left. Numbers rows, resolves steps nobody gave, turns ticks into time.
#pragma once

#include "base/clock.h"
#include "record/batch_builder.h"
#include "record/definitions.h"
#include "record/ring_layout.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace taffrail::record {

/// The kind of spooled values that are meta records; their `key` is the meta type.
inline constexpr Kind kMetaKind{0};

/// A value that waits in the spool; its row number is given, its record comes later.
struct SpooledValue {
    std::uint64_t seq = 0;
    std::uint32_t key = 0;
    Kind kind = Kind::Text;
    Step step = 0;
    std::int64_t time_ns = 0;
    Context context;
    std::uint32_t route = kAllSinks;
    std::uint32_t file = 0;
    std::uint64_t offset = 0, length = 0;
};

/// One ring as the drain sees it. `context` and `last_time_ns` go along with the position.
struct RingCursor {
    const std::uint64_t* words = nullptr;
    std::uint64_t capacity = 0;
    std::uint64_t position = 0;
    Context context;
    std::int64_t last_time_ns = INT64_MIN;
};

class Drain {
  public:
    /// The step after the last one that earlier attempts logged for a key; 0 for a new one.
    using FirstStep = std::function<Step(const Definitions::Key& key)>;

    Drain(const DefinitionSource& definitions, TickClock clock, std::uint64_t next_seq,
          FirstStep first_step = {});

    enum class Outcome : std::uint8_t { Done, BatchFull, Damaged };
    /// Takes the entries before `head` into the batch and moves the cursor. Entries before
    /// `skip_before` only count for the context (they are in the log already). Damaged: the cursor
    /// stands on words that are no entry.
    Outcome take(RingCursor& cursor, std::uint64_t head, std::uint64_t skip_before = 0);

    BatchBuilder& builder() noexcept { return builder_; }

    const tlog::Batch& finish_batch() { return builder_.finish(next_seq_); }

    void start_batch();

    /// Values that went to the spool in this batch.
    std::vector<SpooledValue>& spooled() noexcept { return spooled_; }

    /// Makes sure that the log names this key.
    void define_key(std::uint32_t id);

    [[nodiscard]] std::uint64_t next_seq() const noexcept { return next_seq_; }

    void set_clock(TickClock clock) noexcept { clock_ = clock; }

    [[nodiscard]] const TickClock& clock() const noexcept { return clock_; }

  private:
    struct SchemaState {
        const Definitions::Schema* definition = nullptr;
        BatchBuilder::Wide* wide = nullptr;
        std::uint64_t batch = 0;     // the batch `wide` was opened for
        Step next_step = INT64_MIN;  // INT64_MIN = none logged yet
    };

    struct KeyState {
        const Definitions::Key* definition = nullptr;
        std::vector<std::uint32_t> schemas;
        Step next_step = INT64_MIN;  // of values, and of earlier attempts
        bool defined = false, asked = false;
    };

    SchemaState* schema(std::uint32_t id);
    KeyState* key(std::uint32_t id);
    void define_schema(SchemaState& state);
    Step next_step_of_key(std::uint32_t id);
    Step resolve_step(SchemaState& state, Step given);
    Step resolve_step(KeyState& state, std::uint32_t id, Step given);
    bool take_bytes(const std::uint64_t* entry, std::uint64_t word0, std::uint64_t length,
                    RingCursor& cursor, bool skip);

    bool take_spooled(SpooledValue value, ByteSpan reference);

    const DefinitionSource& definitions_;
    TickClock clock_;
    std::uint64_t next_seq_;
    FirstStep first_step_;
    BatchBuilder builder_;
    std::uint64_t batch_number_ = 0;
    std::vector<SchemaState> schemas_;
    std::vector<KeyState> keys_;
    std::vector<bool> defined_schemas_;
    std::vector<SpooledValue> spooled_;
};

}  // namespace taffrail::record
