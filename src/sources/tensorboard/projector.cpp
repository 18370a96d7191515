#include "sources/tensorboard/projector.h"

#include "base/diagnostics.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "codec/formats/tensorboard/decode.h"
#include "io/files.h"
#include "io/inside.h"

#include <algorithm>
#include <cctype>

namespace taffrail::sources::tensorboard {

using formats::tensorboard::loaded_blob;

namespace {

using formats::tensorboard::loaded_blob;

/// Words of protobuf's text format: names, numbers, quoted strings, and the signs { } :
class Words {
  public:
    explicit Words(std::string_view text) : text_(text) {}

    /// The next word; empty at the end. `quoted` tells strings from names.
    std::string next(bool& quoted) {
        quoted = false;
        while (at_ < text_.size() &&
               (std::isspace(letter()) != 0 || text_[at_] == ',' || text_[at_] == ';')) {
            ++at_;
        }
        if (at_ < text_.size() && text_[at_] == '#') {
            while (at_ < text_.size() && text_[at_] != '\n') {
                ++at_;
            }
            return next(quoted);
        }
        if (at_ >= text_.size()) {
            return {};
        }
        const char first = text_[at_];
        if (first == '{' || first == '}' || first == ':' || first == '[' || first == ']') {
            return std::string(1, text_[at_++]);
        }
        std::string word;
        if (first == '"' || first == '\'') {
            quoted = true;
            for (++at_; at_ < text_.size() && text_[at_] != first; ++at_) {
                if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
                    ++at_;
                }
                word += text_[at_];
            }
            ++at_;
            return word;
        }
        while (at_ < text_.size() && std::isspace(letter()) == 0 &&
               std::string_view("{}:[],;\"'#").find(text_[at_]) == std::string_view::npos) {
            word += text_[at_++];
        }
        return word;
    }

  private:
    [[nodiscard]] unsigned char letter() const { return static_cast<unsigned char>(text_[at_]); }

    std::string_view text_;
    std::size_t at_ = 0;
};

// Files that a configuration names are read whole.
constexpr std::uint64_t kMaxConfigBytes = 16 << 20;
constexpr std::uint64_t kMaxFileBytes = std::uint64_t{1} << 30;

/// A file that stays inside the folder; anything else is refused as TensorBoard refuses it.
Result<Bytes> read(const std::string& folder, const std::string& path) {
    if (path.empty() || path.starts_with('/') || path.find("..") != std::string::npos) {
        return Error{ErrorCode::NotFound, "no file inside " + folder};
    }
    auto bytes = io::read_inside(folder, io::join(folder, path), kMaxFileBytes);
    if (!bytes.ok() && bytes.error().code != ErrorCode::NotFound) {
        diagnose_once(DiagnosticLevel::Warning, io::join(folder, path), bytes.error().message);
    }
    return bytes;
}

std::optional<Embedding> parse_tsv(std::string_view text) {
    Embedding embedding;
    Bytes bytes;
    for (std::string_view line : split(text, '\n')) {
        if (trim(line).empty()) {
            continue;
        }
        std::int64_t columns = 0;
        for (std::string_view cell : split(line, '\t')) {
            const auto number = parse_double(trim(cell));
            if (!number) {
                return std::nullopt;
            }
            append(bytes, static_cast<float>(*number));
            ++columns;
        }
        if (embedding.count > 0 && columns != embedding.dimensions) {
            return std::nullopt;
        }
        embedding.dimensions = columns;
        ++embedding.count;
    }
    embedding.vectors = formats::tensorboard::loaded_blob(bytes);
    return embedding;
}

Table parse_metadata_table(std::string_view text, std::int64_t rows) {
    Table table;
    auto lines = split(text, '\n');
    while (!lines.empty() && lines.back().empty()) {
        lines.pop_back();
    }
    // One column has no header line; several columns have one. A cell takes a byte at least, so a
    // table of more cells than the text has is none, and rows are not filled up for it.
    const std::size_t tabs =
        lines.empty() ? 0 : static_cast<std::size_t>(std::ranges::count(lines.front(), '\t'));
    const bool header = tabs > 0 && static_cast<std::int64_t>(lines.size()) == rows + 1 &&
                        tabs < (text.size() + 1) / lines.size();
    table.columns.emplace_back("label");
    std::size_t first = 0;
    if (header) {
        table.columns.clear();
        for (std::string_view name : split(lines.front(), '\t')) {
            table.columns.push_back(repair_utf8(trim(name)));
        }
        first = 1;
    }
    for (std::size_t line = first; line < lines.size(); ++line) {
        auto& row = table.rows.emplace_back();
        for (std::string_view cell : split(lines[line], '\t')) {
            if (row.size() < table.columns.size()) {
                row.emplace_back(
                    repair_utf8(cell.ends_with('\r') ? cell.substr(0, cell.size() - 1) : cell));
            }
        }
        row.resize(table.columns.size());
    }
    return table;
}

}  // namespace

std::string ProjectorEmbedding::key() const {
    const auto colon = tensor_name.rfind(':');
    return colon != std::string::npos && parse_int(std::string_view(tensor_name).substr(colon + 1))
               ? tensor_name.substr(0, colon)
               : tensor_name;
}

Step ProjectorEmbedding::step() const {
    const auto colon = tensor_name.rfind(':');
    return colon == std::string::npos
               ? 0
               : parse_int(std::string_view(tensor_name).substr(colon + 1)).value_or(0);
}

std::vector<ProjectorEmbedding> parse_projector_config(std::string_view text,
                                                       const std::string& folder) {
    std::vector<ProjectorEmbedding> embeddings;
    Words words(text);
    bool quoted = false;
    std::vector<std::string> scope;
    std::string name;
    for (std::string word = words.next(quoted); !word.empty() || quoted;
         word = words.next(quoted)) {
        if (!quoted && word == "{") {
            if (scope.empty() && name == "embeddings") {
                embeddings.emplace_back().folder = folder;
            }
            if (scope.size() > 64) {
                return embeddings;
            }
            scope.push_back(name);
            name.clear();
        } else if (!quoted && word == "}") {
            if (!scope.empty()) {
                scope.pop_back();
            }
            name.clear();
        } else if (!quoted && (word == ":" || word == "[" || word == "]")) {
            continue;
        } else if (name.empty()) {
            name = word;
        } else {
            if (!embeddings.empty() && !scope.empty() && scope.front() == "embeddings") {
                ProjectorEmbedding& embedding = embeddings.back();
                const bool sprite = scope.size() == 2 && scope[1] == "sprite";
                if (scope.size() == 1 && name == "tensor_name") {
                    embedding.tensor_name = word;
                } else if (scope.size() == 1 && name == "tensor_path") {
                    embedding.tensor_path = word;
                } else if (scope.size() == 1 && name == "metadata_path") {
                    embedding.metadata_path = word;
                } else if (scope.size() == 1 && name == "tensor_shape") {
                    embedding.tensor_shape.push_back(parse_int(word).value_or(0));
                } else if (sprite && name == "image_path") {
                    embedding.sprite_path = word;
                } else if (sprite && name == "single_image_dim") {
                    embedding.sprite_size.push_back(parse_int(word).value_or(0));
                }
            }
            name.clear();
        }
    }
    return embeddings;
}

std::vector<ProjectorEmbedding> read_projector_config(const std::string& path) {
    const auto bytes = io::read_inside(io::parent(path), path, kMaxConfigBytes);
    return bytes.ok() ? parse_projector_config(as_text(*bytes), io::parent(path))
                      : std::vector<ProjectorEmbedding>();
}

std::optional<Embedding> read_embedding(const ProjectorEmbedding& from) {
    const auto read_tensor = read(from.folder, from.tensor_path);
    if (!read_tensor.ok()) {
        return std::nullopt;
    }
    const std::string_view tensor = as_text(*read_tensor);
    std::optional<Embedding> embedding;
    const bool raw = from.tensor_shape.size() == 2 && from.tensor_shape[0] >= 0 &&
                     from.tensor_shape[1] > 0 &&
                     static_cast<std::uint64_t>(from.tensor_shape[0]) <= tensor.size() &&
                     tensor.size() / 4 / static_cast<std::uint64_t>(from.tensor_shape[1]) ==
                         static_cast<std::uint64_t>(from.tensor_shape[0]) &&
                     !is_valid_utf8(tensor);
    if (raw) {
        embedding.emplace();
        embedding->count = from.tensor_shape[0];
        embedding->dimensions = from.tensor_shape[1];
        embedding->vectors = formats::tensorboard::loaded_blob(as_bytes(tensor));
    } else {
        embedding = parse_tsv(tensor);
    }
    if (!embedding) {
        return std::nullopt;
    }
    if (const auto text = read(from.folder, from.metadata_path); text.ok()) {
        embedding->metadata = parse_metadata_table(as_text(*text), embedding->count);
    }
    if (const auto bytes = read(from.folder, from.sprite_path);
        bytes.ok() && from.sprite_size.size() == 2) {
        embedding->sprite = formats::tensorboard::loaded_blob(*bytes);
        embedding->thumbnail_width = from.sprite_size[0];
        embedding->thumbnail_height = from.sprite_size[1];
    }
    return embedding;
}

}  // namespace taffrail::sources::tensorboard
