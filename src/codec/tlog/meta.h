// Payloads of meta records: docs/formats/tlog.md, meta types. Names, notes, tags and colours are
// their text itself.
#pragma once

#include <taffrail/metric_options.h>
#include <taffrail/record.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::tlog {

void append_cell(Bytes& to, const Cell& cell);
/// Bad bytes fail the cursor.
Cell read_cell(ByteCursor& from);

/// Summary and environment: names and cells.
Bytes encode_cells(const Hparams& cells);
/// What could be read, up to the first bad byte.
Hparams decode_cells(ByteSpan payload);

struct StateChange {
    RunState state = RunState::Running;
    std::string message;
};

Bytes encode_state(RunState state, std::string_view message);
std::optional<StateChange> decode_state(ByteSpan payload);

Bytes encode_metric_definition(std::string_view pattern, const MetricOptions& options);
std::vector<MetricDefinition> decode_metric_definitions(ByteSpan payload);

/// Archived and tombstone.
Bytes encode_flag(bool on);
bool decode_flag(ByteSpan payload) noexcept;

/// Saved view: name and JSON.
std::pair<std::string, std::string> decode_named_text(ByteSpan payload);

}  // namespace taffrail::tlog
