#include "codec/tlog/meta.h"

namespace taffrail::tlog {

void append_cell(Bytes& to, const Cell& cell) {
    to.push_back(static_cast<std::byte>(cell.index()));
    if (const auto* truth = std::get_if<bool>(&cell)) {
        append(to, static_cast<std::uint8_t>(*truth ? 1 : 0));
    } else if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        append_zigzag(to, *whole);
    } else if (const auto* number = std::get_if<double>(&cell)) {
        append(to, *number);
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
        append_text(to, *text);
    }
}

Cell read_cell(ByteCursor& from) {
    switch (from.read<std::uint8_t>()) {
        case 0:
            return std::monostate{};
        case 1:
            return from.read<std::uint8_t>() != 0;
        case 2:
            return from.zigzag();
        case 3:
            return from.read<double>();
        case 4:
            return std::string(from.text());
        default:
            from.fail();
            return std::monostate{};
    }
}

Bytes encode_cells(const Hparams& cells) {
    Bytes payload;
    for (const auto& [name, cell] : cells) {
        append_text(payload, name);
        append_cell(payload, cell);
    }
    return payload;
}

Hparams decode_cells(ByteSpan payload) {
    Hparams cells;
    ByteCursor from(payload);
    while (from.remaining() > 0) {
        std::string name(from.text());
        Cell cell = read_cell(from);
        if (!from.ok()) {
            break;
        }
        cells.emplace_back(std::move(name), std::move(cell));
    }
    return cells;
}

Bytes encode_state(RunState state, std::string_view message) {
    Bytes payload;
    append(payload, state);
    append_text(payload, message);
    return payload;
}

std::optional<StateChange> decode_state(ByteSpan payload) {
    ByteCursor from(payload);
    const auto state = from.read<std::uint8_t>();
    std::string message(from.text());
    if (!from.ok() || state > static_cast<std::uint8_t>(RunState::Aborted)) {
        return std::nullopt;
    }
    return StateChange{static_cast<RunState>(state), std::move(message)};
}

Bytes encode_metric_definition(std::string_view pattern, const MetricOptions& options) {
    Bytes payload;
    append_text(payload, pattern);
    append_text(payload, options.step);
    append(payload, options.summary);
    append(payload, options.goal);
    append(payload, static_cast<std::uint8_t>(options.hidden ? 1 : 0));
    return payload;
}

std::vector<MetricDefinition> decode_metric_definitions(ByteSpan payload) {
    std::vector<MetricDefinition> definitions;
    ByteCursor from(payload);
    while (from.remaining() > 0) {
        MetricDefinition definition;
        definition.pattern = from.text();
        definition.options.step = from.text();
        definition.options.summary = from.read<Summary>();
        definition.options.goal = from.read<Goal>();
        definition.options.hidden = from.read<std::uint8_t>() != 0;
        if (!from.ok()) {
            break;
        }
        definitions.push_back(std::move(definition));
    }
    return definitions;
}

Bytes encode_flag(bool on) {
    return {static_cast<std::byte>(on ? 1 : 0)};
}

bool decode_flag(ByteSpan payload) noexcept {
    return !payload.empty() && payload[0] != std::byte{0};
}

std::pair<std::string, std::string> decode_named_text(ByteSpan payload) {
    ByteCursor from(payload);
    std::string name(from.text());
    std::string text(from.text());
    return {std::move(name), std::move(text)};
}

}  // namespace taffrail::tlog
