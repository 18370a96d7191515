#include "sinks/tensorboard/projector_files.h"

#include "base/cell_text.h"
#include "base/names.h"
#include "base/try.h"
#include "base/utf8.h"
#include "io/files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace taffrail::sinks::tensorboard {
namespace {

/// In one column of a line.
std::string tsv_text(const Cell& cell) {
    std::string text = repair_utf8(cell_text(cell));
    std::replace_if(
        text.begin(), text.end(),
        [](char letter) { return letter == '\t' || letter == '\n' || letter == '\r'; }, ' ');
    return text;
}

std::string to_tsv(const Table& table) {
    std::string text;
    const auto line = [&](const auto& cells, auto&& to_text) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            text += (i > 0 ? "\t" : "") + to_text(cells[i]);
        }
        text += '\n';
    };
    if (table.columns.size() > 1) {
        line(table.columns, [](const std::string& name) { return tsv_text(name); });
    }
    for (const auto& row : table.rows) {
        line(row, tsv_text);
    }
    return text;
}

std::string numbers_to_tsv(const Embedding& embedding) {
    std::string text;
    const auto& bytes = *embedding.vectors.bytes;
    const auto columns = static_cast<std::size_t>(embedding.dimensions);
    for (std::size_t i = 0; i + sizeof(float) <= bytes.size(); i += sizeof(float)) {
        std::array<char, 32> number{};
        const auto end = std::to_chars(number.data(), number.data() + number.size(),
                                       load<float>(bytes.data() + i));
        text.append(number.data(), end.ptr);
        text += (i / sizeof(float) + 1) % columns == 0 ? '\n' : '\t';
    }
    return text;
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (char letter : text) {
        if (letter == '"' || letter == '\\') {
            result += '\\';
        }
        result += letter == '\n' ? ' ' : letter;
    }
    return result + "\"";
}

}  // namespace

Result<void> write_embedding(const std::string& run_folder, std::string_view tag, Step step,
                             const Embedding& embedding) {
    if (!embedding.vectors.bytes || embedding.dimensions <= 0 || embedding.count < 0) {
        return Error{ErrorCode::InvalidArgument,
                     "embedding '" + std::string(tag) + "' has no vectors to write"};
    }
    std::array<char, 32> step_text{};
    std::snprintf(step_text.data(), step_text.size(), "%05lld", static_cast<long long>(step));
    const std::string below = std::string(step_text.data()) + "/" + folder_safe(tag);
    const std::string folder = io::join(run_folder, below);
    TAFFRAIL_TRY(io::make_directories(folder));

    const std::string name = std::string(tag) + ":" + step_text.data();
    std::string config = "embeddings {\n  tensor_name: " + quoted(name) + "\n";
    // Raw floats load several hundred times faster, but TensorBoard takes any valid UTF-8 for a
    // table of text.
    const bool raw = !is_valid_utf8(as_text(*embedding.vectors.bytes));
    const std::string tensor_file = raw ? "tensors.bytes" : "tensors.tsv";
    if (raw) {
        TAFFRAIL_TRY(io::write_file_atomically(io::join(folder, tensor_file),
                                               *embedding.vectors.bytes, false));
        config += "  tensor_shape: " + std::to_string(embedding.count) +
                  "\n  tensor_shape: " + std::to_string(embedding.dimensions) + "\n";
    } else {
        TAFFRAIL_TRY(io::write_file_atomically(io::join(folder, tensor_file),
                                               as_bytes(numbers_to_tsv(embedding)), false));
    }
    config += "  tensor_path: " + quoted(below + "/" + tensor_file) + "\n";
    if (!embedding.metadata.rows.empty()) {
        TAFFRAIL_TRY(io::write_file_atomically(io::join(folder, "metadata.tsv"),
                                               as_bytes(to_tsv(embedding.metadata)), false));
        config += "  metadata_path: " + quoted(below + "/metadata.tsv") + "\n";
    }
    if (embedding.sprite.bytes && !embedding.sprite.bytes->empty()) {
        TAFFRAIL_TRY(io::write_file_atomically(io::join(folder, "sprite.png"),
                                               *embedding.sprite.bytes, false));
        config += "  sprite {\n    image_path: " + quoted(below + "/sprite.png") +
                  "\n    single_image_dim: " + std::to_string(embedding.thumbnail_width) +
                  "\n    single_image_dim: " + std::to_string(embedding.thumbnail_height) +
                  "\n  }\n";
    }
    config += "}\n";

    const std::string config_path = io::join(run_folder, "projector_config.pbtxt");
    std::string all;
    if (io::exists(config_path)) {
        TAFFRAIL_ASSIGN(all, io::read_text(config_path));
    }
    // The same tag and step again replaces the files, so one entry is enough.
    if (all.find("tensor_name: " + quoted(name) + "\n") == std::string::npos) {
        all += config;
    }
    return io::write_file_atomically(config_path, as_bytes(all), false);
}

}  // namespace taffrail::sinks::tensorboard
