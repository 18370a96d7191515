// The field numbers of every kind of value: one write() and one read() per alternative, side by
// side, because the numbers are the format. docs/formats/values.md lists them.
#pragma once

#include <taffrail/value.h>

#include "codec/wire_fields.h"

#include <string>
#include <utility>
#include <vector>

namespace taffrail::value_fields {

using NamedCell = std::pair<std::string, Cell>;

bool is_present(const Blob& blob) noexcept;
FieldWriter message_of(const BlobRef& ref);
FieldWriter message_of(const Cell& cell);
void put_blob(FieldWriter& out, unsigned field, const Blob& blob);
void put_named(FieldWriter& out, unsigned field, const std::vector<NamedCell>& cells);
Blob blob_of(ByteSpan bytes);
Cell cell_of(ByteSpan bytes);
NamedCell named_of(ByteSpan bytes);

void write(FieldWriter& out, const double& value);
void read(FieldReader& in, double& value);
void write(FieldWriter& out, const Histogram& value);
void read(FieldReader& in, Histogram& value);
void write(FieldWriter& out, const Image& value);
void read(FieldReader& in, Image& value);
void write(FieldWriter& out, const Audio& value);
void read(FieldReader& in, Audio& value);
void write(FieldWriter& out, const Video& value);
void read(FieldReader& in, Video& value);
void write(FieldWriter& out, const Mesh& value);
void read(FieldReader& in, Mesh& value);
void write(FieldWriter& out, const Text& value);
void read(FieldReader& in, Text& value);
void write(FieldWriter& out, const Table& value);
void read(FieldReader& in, Table& value);
void write(FieldWriter& out, const Figure& value);
void read(FieldReader& in, Figure& value);
void write(FieldWriter& out, const Graph& value);
void read(FieldReader& in, Graph& value);
void write(FieldWriter& out, const PrCurve& value);
void read(FieldReader& in, PrCurve& value);
void write(FieldWriter& out, const Embedding& value);
void read(FieldReader& in, Embedding& value);
void write(FieldWriter& out, const Hparams& value);
void read(FieldReader& in, Hparams& value);
void write(FieldWriter& out, const Artifact& value);
void read(FieldReader& in, Artifact& value);
void write(FieldWriter& out, const Alert& value);
void read(FieldReader& in, Alert& value);
void write(FieldWriter& out, const Note& value);
void read(FieldReader& in, Note& value);
void write(FieldWriter& out, const Tag& value);
void read(FieldReader& in, Tag& value);
void write(FieldWriter& out, const MetricDefinition& value);
void read(FieldReader& in, MetricDefinition& value);
void write(FieldWriter& out, const SummaryValues& value);
void read(FieldReader& in, SummaryValues& value);
void write(FieldWriter& out, const Tensor& value);
void read(FieldReader& in, Tensor& value);

}  // namespace taffrail::value_fields
