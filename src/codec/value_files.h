// Values as files, for trackers that keep what they cannot show, or show files.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "base/bytes.h"

#include <string>
#include <string_view>
#include <vector>

namespace taffrail {

class Json;
class JsonWriter;

struct ValueFile {
    std::string name;  ///< plain, with its ending: "image.png", "vectors.npy"
    std::string mime;
    Bytes bytes;

    [[nodiscard]] std::string_view ending() const noexcept {
        const std::string_view all = name;
        return all.substr(all.rfind('.') + 1);
    }
};

/// The files of a value: pictures (float pixels as 8-bit PNG), sound, films (frames as MP4, else
/// GIF), meshes (arrays as GLB, points as PLY), tables and histograms and curves and graphs as
/// JSON, texts as Markdown, figures as Plotly JSON and picture, tensors and embeddings as NPY with
/// their table as TSV. An artifact's own files keep their paths. Kinds without files
/// (hyperparameters, alerts, …) give none.
Result<std::vector<ValueFile>> files_of(const Value& value);

/// {"columns": […], "data": [[…], …]}; for those who read numbers that JSON lacks in a way of their
/// own, `put` writes the cells.
std::string table_json(const Table& table, void (*put)(JsonWriter&, const Cell&) = nullptr);
/// The counts and rates of a curve, one threshold a row.
Table table_of(const PrCurve& curve);
std::string tsv_of(const Table& table);
std::string histogram_json(const Histogram& histogram);
std::string graph_json(const Graph& graph);

/// {"columns": […], "data": [[…], …]}; what a row has too much is left out.
Result<Table> table_of_json(const Json& document);
/// {"values": [counts], "bins": [edges]}, as clients of trackers write them.
Result<Value> histogram_of_json(const Json& document);
/// The way back, for kinds that are documents (tables, histograms, graphs, figures, texts).
Result<Value> value_of_document(Kind kind, std::string_view text);

/// What a file is by itself: a picture, a film, a sound, a mesh, else an artifact of that one file.
/// Its blob holds the bytes.
Result<Value> value_of_file(std::string_view name, Bytes bytes, std::string_view caption);
/// Puts another blob in the place of the one that value_of_file() made.
void set_file_blob(Value& value, Blob blob);

}  // namespace taffrail
