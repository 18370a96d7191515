// What the end of a foreign Parquet file says: its leaves and where their pages lie.
#include "codec/parquet/foreign_metadata.h"

#include "base/try.h"

#include <algorithm>

namespace taffrail::parquet {
namespace {

constexpr std::size_t kMostMetadata = std::size_t{64} << 20, kMostLeaves = 10'000;
constexpr std::uint64_t kMostRowsOfGroup = std::uint64_t{1} << 22;
constexpr int kDeepest = 16;
constexpr std::size_t kLongestName = 200;  // a path repeats the names above it

}  // namespace

/// One node of the schema, which the file lists depth first.
struct ForeignMetadata::Node {
    std::int64_t type = -1, width = 0, repetition = 0, children = 0, converted = -1, scale = 0;
    std::string name;
};

Result<ForeignFile> ForeignMetadata::read(ReadAt read_at, std::uint64_t file_bytes) {
    const auto damaged = [](std::string what) {
        return Error{ErrorCode::Corrupt, "no Parquet file that can be read: " + std::move(what)};
    };
    if (file_bytes < 12) {
        return damaged("it has " + std::to_string(file_bytes) + " bytes");
    }
    TAFFRAIL_ASSIGN(const Bytes tail, read_at(file_bytes - 8, 8));
    const auto size = load<std::uint32_t>(tail.data());
    if (as_text(tail).substr(4) != "PAR1" || size > file_bytes - 12 || size > kMostMetadata) {
        return damaged("its end is not that of one");
    }
    TAFFRAIL_ASSIGN(const Bytes bytes, read_at(file_bytes - 8 - size, size));
    ForeignFile file;
    file.read_at_ = std::move(read_at);
    file.file_bytes_ = file_bytes;
    ThriftReader reader(bytes);
    std::vector<Node> nodes;
    for (auto field = reader.next(); field.type != ThriftType::Stop; field = reader.next()) {
        if (field.id == 2 && field.type == ThriftType::List) {
            nodes = read_nodes(reader);
        } else if (field.id == 4 && field.type == ThriftType::List) {
            read_groups(reader, file);
        } else {
            reader.skip(field.type);
        }
    }
    std::size_t next = 1;  // the first is the root
    if (!reader.ok() || nodes.empty()) {
        return damaged("its schema is broken");
    }
    for (std::int64_t i = 0; i < nodes[0].children; ++i) {
        if (!add_leaves(nodes, next, {}, 0, 0, 0, file.leaves_)) {
            return damaged("its schema is broken");
        }
    }
    std::uint64_t rows = 0;
    for (const auto& group : file.groups_) {
        rows += group.rows;
        if (group.chunks.size() != file.leaves_.size() || group.rows > kMostRowsOfGroup ||
            rows > most_rows_of(file_bytes)) {
            return damaged("its row groups do not fit its schema or its size");
        }
    }
    return file;
}

std::vector<ForeignMetadata::Node> ForeignMetadata::read_nodes(ThriftReader& reader) {
    std::vector<Node> nodes;
    const auto list = reader.list();
    for (std::size_t i = 0; i < list.count && reader.ok(); ++i) {
        if (list.element != ThriftType::Struct || nodes.size() >= kMostLeaves) {
            reader.fail();
            break;
        }
        Node node;
        reader.begin_struct();
        for (auto field = reader.next(); field.type != ThriftType::Stop; field = reader.next()) {
            if (field.id == 4 && field.type == ThriftType::Binary) {
                node.name = reader.binary();
                continue;
            }
            std::int64_t* const number = field.id == 1   ? &node.type
                                         : field.id == 2 ? &node.width
                                         : field.id == 3 ? &node.repetition
                                         : field.id == 5 ? &node.children
                                         : field.id == 6 ? &node.converted
                                         : field.id == 7 ? &node.scale
                                                         : nullptr;
            if (number != nullptr && field.type == ThriftType::I32) {
                *number = reader.number();
            } else {
                reader.skip(field.type);
            }
        }
        reader.end_struct();
        nodes.push_back(std::move(node));
    }
    return nodes;
}

void ForeignMetadata::read_groups(ThriftReader& reader, ForeignFile& file) {
    const auto groups = reader.list();
    for (std::size_t i = 0; i < groups.count && reader.ok(); ++i) {
        if (groups.element != ThriftType::Struct) {
            reader.fail();
            return;
        }
        ForeignFile::Group group;
        reader.begin_struct();
        for (auto field = reader.next(); field.type != ThriftType::Stop; field = reader.next()) {
            if (field.id == 1 && field.type == ThriftType::List) {
                const auto chunks = reader.list();
                if (chunks.element != ThriftType::Struct) {
                    reader.fail();
                }
                for (std::size_t at = 0; at < chunks.count && reader.ok(); ++at) {
                    group.chunks.push_back(read_chunk(reader));
                }
            } else if (field.id == 3 && field.type == ThriftType::I64) {
                group.rows = static_cast<std::uint64_t>(std::max<std::int64_t>(reader.number(), 0));
            } else {
                reader.skip(field.type);
            }
        }
        reader.end_struct();
        file.groups_.push_back(std::move(group));
    }
}

ForeignFile::Chunk ForeignMetadata::read_chunk(ThriftReader& reader) {
    ForeignFile::Chunk chunk;
    reader.begin_struct();
    for (auto field = reader.next(); field.type != ThriftType::Stop; field = reader.next()) {
        if (field.id != 3 || field.type != ThriftType::Struct) {
            reader.skip(field.type);
            continue;
        }
        reader.begin_struct();
        for (field = reader.next(); field.type != ThriftType::Stop; field = reader.next()) {
            std::int64_t* const number = field.id == 4    ? &chunk.codec
                                         : field.id == 5  ? &chunk.values
                                         : field.id == 7  ? &chunk.bytes
                                         : field.id == 9  ? &chunk.data
                                         : field.id == 11 ? &chunk.dictionary
                                                          : nullptr;
            if (number != nullptr &&
                (field.type == ThriftType::I64 || field.type == ThriftType::I32)) {
                *number = reader.number();
            } else {
                reader.skip(field.type);
            }
        }
        reader.end_struct();
    }
    reader.end_struct();
    return chunk;
}

bool ForeignMetadata::add_leaves(const std::vector<Node>& nodes, std::size_t& next,
                                 const std::string& above, unsigned definition, unsigned repetition,
                                 int depth, std::vector<ForeignLeaf>& to) {
    if (next >= nodes.size() || depth > kDeepest || nodes[next].name.size() > kLongestName) {
        return false;
    }
    const Node& node = nodes[next++];
    definition += node.repetition != 0 ? 1 : 0;
    repetition += node.repetition == 2 ? 1 : 0;
    // The layers of a list, which every program names in its own way.
    const bool is_layer = depth > 0 && (node.repetition == 2 || node.name == "element" ||
                                        node.name == "item" || node.name == "array");
    const std::string path = is_layer ? above : above.empty() ? node.name : above + "." + node.name;
    if (node.children > 0) {
        for (std::int64_t i = 0; i < node.children; ++i) {
            if (!add_leaves(nodes, next, path, definition, repetition, depth + 1, to)) {
                return false;
            }
        }
        return true;
    }
    if (node.type < 0 || node.type > 7 || node.width < 0 || node.width > (1 << 20) ||
        (node.type == 7 && node.width == 0)) {
        return false;
    }
    constexpr std::int64_t kDecimal = 5, kMicros = 10;
    to.push_back({.path = path,
                  .type = static_cast<ForeignLeaf::Type>(node.type),
                  .width = static_cast<std::size_t>(node.width),
                  .is_decimal = node.converted == kDecimal,
                  .scale = static_cast<int>(std::clamp<std::int64_t>(node.scale, 0, 18)),
                  .is_micros = node.converted == kMicros,
                  .definition = definition,
                  .repetition = repetition});
    return true;
}

}  // namespace taffrail::parquet
