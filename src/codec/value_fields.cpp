#include "codec/value_fields.h"

#include <algorithm>

namespace taffrail::value_fields {

FieldWriter message_of(const BlobRef& ref) {
    FieldWriter out;
    out.always_text(1, {reinterpret_cast<const char*>(ref.sha256.data()), ref.sha256.size()});
    out.number(2, ref.size);
    return out;
}

bool is_present(const Blob& blob) noexcept {
    return blob.ref.size != 0 || blob.bytes != nullptr;
}

void put_blob(FieldWriter& out, unsigned field, const Blob& blob) {
    if (is_present(blob)) {
        out.message(field, message_of(blob.ref));
    }
}

Blob blob_of(ByteSpan bytes) {
    Blob blob;
    FieldReader in(bytes);
    while (in.next()) {
        if (in.field() == 1) {
            std::copy_n(in.text().begin(), std::min(in.text().size(), blob.ref.sha256.size()),
                        blob.ref.sha256.begin());
        } else if (in.field() == 2) {
            blob.ref.size = in.number();
        }
    }
    return blob;
}

FieldWriter message_of(const Cell& cell) {
    FieldWriter out;
    if (const auto* truth = std::get_if<bool>(&cell)) {
        out.always_number(1, *truth ? 1 : 0);
    } else if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        out.signed_number(2, *whole);
    } else if (const auto* number = std::get_if<double>(&cell)) {
        out.always_real(3, *number);
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
        out.always_text(4, *text);
    }
    return out;
}

Cell cell_of(ByteSpan bytes) {
    FieldReader in(bytes);
    Cell cell;
    while (in.next()) {
        switch (in.field()) {
            case 1:
                cell = in.number() != 0;
                break;
            case 2:
                cell = in.signed_number();
                break;
            case 3:
                cell = in.real();
                break;
            case 4:
                cell = std::string(in.text());
                break;
            default:
                break;
        }
    }
    return cell;
}

void put_named(FieldWriter& out, unsigned field, const std::vector<NamedCell>& cells) {
    for (const auto& [name, cell] : cells) {
        FieldWriter member;
        member.text(1, name);
        member.message(2, message_of(cell));
        out.message(field, member);
    }
}

NamedCell named_of(ByteSpan bytes) {
    FieldReader in(bytes);
    NamedCell named;
    while (in.next()) {
        if (in.field() == 1) {
            named.first = in.text();
        } else if (in.field() == 2) {
            named.second = cell_of(in.bytes());
        }
    }
    return named;
}

void write(FieldWriter& out, const double& value) {
    out.always_real(1, value);
}

void read(FieldReader& in, double& value) {
    if (in.field() == 1) {
        value = in.real();
    }
}

void write(FieldWriter& out, const Histogram& value) {
    out.reals(1, value.edges);
    out.reals(2, value.counts);
    out.number(3, value.nan_count);
    out.number(4, value.positive_infinity_count);
    out.number(5, value.negative_infinity_count);
    out.real(6, value.min);
    out.real(7, value.max);
    out.real(8, value.sum);
    out.real(9, value.sum_squares);
}

void read(FieldReader& in, Histogram& value) {
    switch (in.field()) {
        case 1:
            value.edges = in.reals();
            break;
        case 2:
            value.counts = in.reals();
            break;
        case 3:
            value.nan_count = in.number();
            break;
        case 4:
            value.positive_infinity_count = in.number();
            break;
        case 5:
            value.negative_infinity_count = in.number();
            break;
        case 6:
            value.min = in.real();
            break;
        case 7:
            value.max = in.real();
            break;
        case 8:
            value.sum = in.real();
            break;
        case 9:
            value.sum_squares = in.real();
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Text& value) {
    out.text(1, value.text);
    out.number(2, value.plain ? 1 : 0);
}

void read(FieldReader& in, Text& value) {
    switch (in.field()) {
        case 1:
            value.text = in.text();
            break;
        case 2:
            value.plain = in.number() != 0;
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Table& value) {
    for (const std::string& column : value.columns) {
        out.always_text(1, column);
    }
    for (const auto& row : value.rows) {
        FieldWriter cells;
        for (const Cell& cell : row) {
            cells.message(1, message_of(cell));
        }
        out.message(2, cells);
    }
}

void read(FieldReader& in, Table& value) {
    if (in.field() == 1) {
        value.columns.emplace_back(in.text());
    } else if (in.field() == 2) {
        FieldReader cells(in.bytes());
        auto& row = value.rows.emplace_back();
        while (cells.next()) {
            if (cells.field() == 1) {
                row.push_back(cell_of(cells.bytes()));
            }
        }
    }
}

void write(FieldWriter& out, const Graph& value) {
    for (const GraphNode& node : value.nodes) {
        FieldWriter inner;
        inner.text(1, node.name);
        inner.text(2, node.op);
        for (const std::string& input : node.inputs) {
            inner.always_text(3, input);
        }
        for (std::int64_t extent : node.output_shape) {
            inner.signed_number(4, extent);
        }
        inner.signed_number(5, node.parameters);
        inner.text(6, node.device);
        put_named(inner, 7, node.attributes);
        out.message(1, inner);
    }
}

void read(FieldReader& in, Graph& value) {
    if (in.field() != 1) {
        return;
    }
    GraphNode& node = value.nodes.emplace_back();
    FieldReader inner(in.bytes());
    while (inner.next()) {
        switch (inner.field()) {
            case 1:
                node.name = inner.text();
                break;
            case 2:
                node.op = inner.text();
                break;
            case 3:
                node.inputs.emplace_back(inner.text());
                break;
            case 4:
                node.output_shape.push_back(inner.signed_number());
                break;
            case 5:
                node.parameters = inner.signed_number();
                break;
            case 6:
                node.device = inner.text();
                break;
            case 7:
                node.attributes.push_back(named_of(inner.bytes()));
                break;
            default:
                break;
        }
    }
}

void write(FieldWriter& out, const PrCurve& value) {
    out.reals(1, value.thresholds);
    out.reals(2, value.true_positives);
    out.reals(3, value.false_positives);
    out.reals(4, value.true_negatives);
    out.reals(5, value.false_negatives);
    out.reals(6, value.precision);
    out.reals(7, value.recall);
}

void read(FieldReader& in, PrCurve& value) {
    switch (in.field()) {
        case 1:
            value.thresholds = in.reals();
            break;
        case 2:
            value.true_positives = in.reals();
            break;
        case 3:
            value.false_positives = in.reals();
            break;
        case 4:
            value.true_negatives = in.reals();
            break;
        case 5:
            value.false_negatives = in.reals();
            break;
        case 6:
            value.precision = in.reals();
            break;
        case 7:
            value.recall = in.reals();
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Hparams& value) {
    put_named(out, 1, value);
}

void read(FieldReader& in, Hparams& value) {
    if (in.field() == 1) {
        value.push_back(named_of(in.bytes()));
    }
}

void write(FieldWriter& out, const Alert& value) {
    out.number(1, static_cast<std::uint64_t>(value.level));
    out.text(2, value.title);
    out.text(3, value.text);
}

void read(FieldReader& in, Alert& value) {
    switch (in.field()) {
        case 1:
            value.level = static_cast<AlertLevel>(std::min<std::uint64_t>(in.number(), 2));
            break;
        case 2:
            value.title = in.text();
            break;
        case 3:
            value.text = in.text();
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const Note& value) {
    out.text(1, value.text);
}

void read(FieldReader& in, Note& value) {
    if (in.field() == 1) {
        value.text = in.text();
    }
}

void write(FieldWriter& out, const MetricDefinition& value) {
    out.text(1, value.pattern);
    out.text(2, value.options.step);
    out.number(3, static_cast<std::uint64_t>(value.options.summary));
    out.number(4, static_cast<std::uint64_t>(value.options.goal));
    out.number(5, value.options.hidden ? 1 : 0);
}

void read(FieldReader& in, MetricDefinition& value) {
    MetricOptions& options = value.options;
    switch (in.field()) {
        case 1:
            value.pattern = in.text();
            break;
        case 2:
            options.step = in.text();
            break;
        case 3:
            options.summary = in.number() <= static_cast<std::uint64_t>(Summary::None)
                                  ? static_cast<Summary>(in.number())
                                  : Summary::Last;
            break;
        case 4:
            options.goal = in.number() <= static_cast<std::uint64_t>(Goal::Maximize)
                               ? static_cast<Goal>(in.number())
                               : Goal::None;
            break;
        case 5:
            options.hidden = in.number() != 0;
            break;
        default:
            break;
    }
}

void write(FieldWriter& out, const SummaryValues& value) {
    put_named(out, 1, value.values);
}

void read(FieldReader& in, SummaryValues& value) {
    if (in.field() == 1) {
        value.values.push_back(named_of(in.bytes()));
    }
}

void write(FieldWriter& out, const Tag& value) {
    out.text(1, value.tag);
    out.number(2, value.removed ? 1 : 0);
}

void read(FieldReader& in, Tag& value) {
    if (in.field() == 1) {
        value.tag = in.text();
    } else if (in.field() == 2) {
        value.removed = in.number() != 0;
    }
}

}  // namespace taffrail::value_fields
