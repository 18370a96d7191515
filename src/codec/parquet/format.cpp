#include "codec/parquet/format.h"

#include "codec/parquet/thrift.h"

namespace taffrail::parquet {
namespace {

constexpr std::int64_t kRequired = 0, kOptional = 1, kRepeated = 2;
constexpr std::int64_t kConvertedUtf8 = 0, kConvertedList = 3, kConvertedUnsigned64 = 14;
// What readers make room for on the footer's word. Ours have 2^17 at most.
constexpr std::int64_t kMaxRowGroupRows = std::int64_t{1} << 24;
constexpr int kDataPage = 0, kDictionaryPage = 2;

void begin_schema_element(ThriftWriter& writer, std::string_view name, std::int64_t repetition) {
    writer.begin_element();
    writer.i32(3, repetition);
    writer.binary(4, name);
}

void write_leaf(ThriftWriter& writer, const Column& column, std::string_view name,
                std::int64_t repetition) {
    writer.begin_element();
    writer.i32(1, static_cast<std::int64_t>(column.type));
    writer.i32(3, repetition);
    writer.binary(4, name);
    switch (column.meaning) {
        case Meaning::None:
            break;
        case Meaning::Text:
            writer.i32(6, kConvertedUtf8);
            writer.begin_struct(10);
            writer.begin_struct(1);
            writer.end_struct();
            writer.end_struct();
            break;
        case Meaning::TimestampNs:
            writer.begin_struct(10);
            writer.begin_struct(8);
            writer.boolean(1, true);  // adjusted to UTC
            writer.begin_struct(2);
            writer.begin_struct(3);  // nanoseconds
            writer.end_struct();
            writer.end_struct();
            writer.end_struct();
            writer.end_struct();
            break;
        case Meaning::Unsigned:
            writer.i32(6, kConvertedUnsigned64);
            break;
    }
    writer.end_struct();
}

void write_schema(ThriftWriter& writer, const std::vector<Column>& columns) {
    std::size_t elements = 1;
    for (const Column& column : columns) {
        elements += column.shape == Shape::List ? 3 : 1;
    }
    writer.begin_list(2, ThriftType::Struct, elements);
    writer.begin_element();
    writer.binary(4, "schema");
    writer.i32(5, static_cast<std::int64_t>(columns.size()));
    writer.end_struct();
    for (const Column& column : columns) {
        if (column.shape != Shape::List) {
            write_leaf(writer, column, column.name,
                       column.shape == Shape::Optional ? kOptional : kRequired);
            continue;
        }
        begin_schema_element(writer, column.name, kRequired);
        writer.i32(5, 1);
        writer.i32(6, kConvertedList);
        writer.begin_struct(10);
        writer.begin_struct(3);
        writer.end_struct();
        writer.end_struct();
        writer.end_struct();
        begin_schema_element(writer, "list", kRepeated);
        writer.i32(5, 1);
        writer.end_struct();
        write_leaf(writer, column, "element", kRequired);
    }
}

void write_chunk(ThriftWriter& writer, const Column& column, const ColumnChunk& chunk) {
    const std::int64_t start =
        chunk.dictionary_page_offset > 0 ? chunk.dictionary_page_offset : chunk.data_page_offset;
    writer.begin_element();
    writer.i64(2, start);
    writer.begin_struct(3);
    writer.i32(1, static_cast<std::int64_t>(chunk.type));
    writer.begin_list(2, ThriftType::I32, chunk.encodings.size());
    for (const Encoding encoding : chunk.encodings) {
        writer.element(static_cast<std::int64_t>(encoding));
    }
    writer.begin_list(3, ThriftType::Binary, column.shape == Shape::List ? 3 : 1);
    writer.element(std::string_view(column.name));
    if (column.shape == Shape::List) {
        writer.element(std::string_view("list"));
        writer.element(std::string_view("element"));
    }
    writer.i32(4, static_cast<std::int64_t>(chunk.codec));
    writer.i64(5, chunk.values);
    writer.i64(6, chunk.uncompressed_bytes);
    writer.i64(7, chunk.compressed_bytes);
    writer.i64(9, chunk.data_page_offset);
    if (chunk.dictionary_page_offset > 0) {
        writer.i64(11, chunk.dictionary_page_offset);
    }
    if (chunk.null_count) {
        writer.begin_struct(12);
        writer.i64(3, *chunk.null_count);
        writer.end_struct();
    }
    writer.end_struct();
    writer.end_struct();
}

/// Calls `on_field(field)` for each field of a struct; it returns false for fields it leaves alone.
template <typename OnField>
void read_struct(ThriftReader& reader, OnField on_field) {
    reader.begin_struct();
    for (auto field = reader.next(); field.type != ThriftType::Stop && reader.ok();
         field = reader.next()) {
        if (!on_field(field)) {
            reader.skip(field.type);
        }
    }
    reader.end_struct();
}

template <typename OnElement>
void read_list(ThriftReader& reader, OnElement on_element) {
    const auto list = reader.list();
    for (std::size_t i = 0; i < list.count && reader.ok(); ++i) {
        on_element();
    }
}

struct SchemaElement {
    std::optional<std::int64_t> type;
    std::int64_t repetition = kRequired;
    std::string name;
    std::int64_t children = 0;
    Meaning meaning = Meaning::None;
};

SchemaElement read_schema_element(ThriftReader& reader) {
    SchemaElement element;
    read_struct(reader, [&](const ThriftReader::Field& field) {
        switch (field.id) {
            case 1:
                element.type = reader.number();
                return true;
            case 3:
                element.repetition = reader.number();
                return true;
            case 4:
                element.name = reader.binary();
                return true;
            case 5:
                element.children = reader.number();
                return true;
            case 6: {
                const std::int64_t converted = reader.number();
                if (converted == kConvertedUtf8) {
                    element.meaning = Meaning::Text;
                } else if (converted == kConvertedUnsigned64) {
                    element.meaning = Meaning::Unsigned;
                }
                return true;
            }
            case 10:
                read_struct(reader, [&](const ThriftReader::Field& logical) {
                    if (logical.id == 8) {
                        element.meaning = Meaning::TimestampNs;
                    }
                    return false;
                });
                return true;
            default:
                return false;
        }
    });
    return element;
}

ColumnChunk read_chunk(ThriftReader& reader) {
    ColumnChunk chunk;
    read_struct(reader, [&](const ThriftReader::Field& outer) {
        if (outer.id != 3 || outer.type != ThriftType::Struct) {
            return false;
        }
        read_struct(reader, [&](const ThriftReader::Field& field) {
            switch (field.id) {
                case 1:
                    chunk.type = static_cast<Type>(reader.number());
                    return true;
                case 2:
                    read_list(reader, [&] {
                        chunk.encodings.push_back(static_cast<Encoding>(reader.number()));
                    });
                    return true;
                case 4:
                    chunk.codec = static_cast<Codec>(reader.number());
                    return true;
                case 5:
                    chunk.values = reader.number();
                    return true;
                case 6:
                    chunk.uncompressed_bytes = reader.number();
                    return true;
                case 7:
                    chunk.compressed_bytes = reader.number();
                    return true;
                case 9:
                    chunk.data_page_offset = reader.number();
                    return true;
                case 11:
                    chunk.dictionary_page_offset = reader.number();
                    return true;
                default:
                    return false;
            }
        });
        return true;
    });
    return chunk;
}

RowGroup read_row_group(ThriftReader& reader) {
    RowGroup group;
    read_struct(reader, [&](const ThriftReader::Field& field) {
        if (field.id == 1) {
            read_list(reader, [&] { group.columns.push_back(read_chunk(reader)); });
            return true;
        }
        if (field.id == 3) {
            group.rows = reader.number();
            return true;
        }
        return false;
    });
    return group;
}

Result<std::vector<Column>> to_columns(const std::vector<SchemaElement>& elements) {
    std::vector<Column> columns;
    for (std::size_t i = 1; i < elements.size(); ++i) {
        const SchemaElement& element = elements[i];
        const bool list = !element.type && element.children == 1 && i + 2 < elements.size() &&
                          elements[i + 1].repetition == kRepeated && elements[i + 2].type;
        const SchemaElement& leaf = list ? elements[i + 2] : element;
        if (!leaf.type ||
            (*leaf.type != 1 && *leaf.type != 2 && *leaf.type != 5 && *leaf.type != 6)) {
            return Error{ErrorCode::Unsupported,
                         "Parquet column '" + element.name +
                             "' has a type that no Taffrail file uses: read it with another tool"};
        }
        columns.push_back({element.name, static_cast<Type>(*leaf.type),
                           list                              ? Shape::List
                           : element.repetition == kOptional ? Shape::Optional
                                                             : Shape::Required,
                           leaf.meaning});
        i += list ? 2 : 0;
    }
    return columns;
}

}  // namespace

Bytes encode(const FileMetadata& metadata) {
    Bytes bytes;
    ThriftWriter writer(bytes);
    writer.i32(1, 2);
    write_schema(writer, metadata.columns);
    writer.i64(3, metadata.rows);
    writer.begin_list(4, ThriftType::Struct, metadata.row_groups.size());
    for (const RowGroup& group : metadata.row_groups) {
        std::int64_t uncompressed = 0, compressed = 0;
        for (const ColumnChunk& chunk : group.columns) {
            uncompressed += chunk.uncompressed_bytes;
            compressed += chunk.compressed_bytes;
        }
        writer.begin_element();
        writer.begin_list(1, ThriftType::Struct, group.columns.size());
        for (std::size_t i = 0; i < group.columns.size(); ++i) {
            write_chunk(writer, metadata.columns[i], group.columns[i]);
        }
        writer.i64(2, uncompressed);
        writer.i64(3, group.rows);
        writer.i64(6, compressed);
        writer.end_struct();
    }
    if (!metadata.key_values.empty()) {
        writer.begin_list(5, ThriftType::Struct, metadata.key_values.size());
        for (const auto& [key, value] : metadata.key_values) {
            writer.begin_element();
            writer.binary(1, key);
            writer.binary(2, value);
            writer.end_struct();
        }
    }
    writer.binary(6, metadata.created_by);
    writer.finish();
    return bytes;
}

Result<FileMetadata> decode_metadata(ByteSpan bytes) {
    FileMetadata metadata;
    std::vector<SchemaElement> schema;
    ThriftReader reader(bytes);
    read_struct(reader, [&](const ThriftReader::Field& field) {
        switch (field.id) {
            case 2:
                read_list(reader, [&] { schema.push_back(read_schema_element(reader)); });
                return true;
            case 3:
                metadata.rows = reader.number();
                return true;
            case 4:
                read_list(reader, [&] { metadata.row_groups.push_back(read_row_group(reader)); });
                return true;
            case 5:
                read_list(reader, [&] {
                    auto& pair = metadata.key_values.emplace_back();
                    read_struct(reader, [&](const ThriftReader::Field& part) {
                        if (part.id != 1 && part.id != 2) {
                            return false;
                        }
                        (part.id == 1 ? pair.first : pair.second) = reader.binary();
                        return true;
                    });
                });
                return true;
            case 6:
                metadata.created_by = reader.binary();
                return true;
            default:
                return false;
        }
    });
    if (!reader.ok()) {
        return Error{ErrorCode::Corrupt,
                     "the Parquet footer is damaged: its fields do not fit its length"};
    }
    auto columns = to_columns(schema);
    if (!columns.ok()) {
        return std::move(columns).error();
    }
    metadata.columns = *std::move(columns);
    for (const RowGroup& group : metadata.row_groups) {
        if (group.columns.size() != metadata.columns.size() || group.rows < 0 ||
            group.rows > kMaxRowGroupRows) {
            return Error{ErrorCode::Corrupt,
                         "the Parquet footer is damaged: a row group does not match the schema"};
        }
    }
    return metadata;
}

void append_page_header(Bytes& to, const PageHeader& header) {
    ThriftWriter writer(to);
    writer.i32(1, header.dictionary ? kDictionaryPage : kDataPage);
    writer.i32(2, header.uncompressed_bytes);
    writer.i32(3, header.compressed_bytes);
    if (header.crc) {
        writer.i32(4, static_cast<std::int32_t>(*header.crc));
    }
    writer.begin_struct(header.dictionary ? 7 : 5);
    writer.i32(1, header.values);
    writer.i32(2, static_cast<std::int64_t>(header.encoding));
    if (!header.dictionary) {
        writer.i32(3, static_cast<std::int64_t>(Encoding::Rle));
        writer.i32(4, static_cast<std::int64_t>(Encoding::Rle));
    }
    writer.end_struct();
    writer.finish();
}

Result<ParsedPageHeader> decode_page_header(ByteSpan bytes) {
    ThriftReader reader(bytes);
    PageHeader header;
    std::int64_t type = -1;
    read_struct(reader, [&](const ThriftReader::Field& field) {
        switch (field.id) {
            case 1:
                type = reader.number();
                return true;
            case 2:
                header.uncompressed_bytes = static_cast<std::int32_t>(reader.number());
                return true;
            case 3:
                header.compressed_bytes = static_cast<std::int32_t>(reader.number());
                return true;
            case 4:
                header.crc = static_cast<std::uint32_t>(reader.number());
                return true;
            case 5:
            case 7:
                if (field.type != ThriftType::Struct) {
                    return false;
                }
                read_struct(reader, [&](const ThriftReader::Field& part) {
                    if (part.id == 1) {
                        header.values = static_cast<std::int32_t>(reader.number());
                        return true;
                    }
                    if (part.id == 2) {
                        header.encoding = static_cast<Encoding>(reader.number());
                        return true;
                    }
                    return false;
                });
                return true;
            default:
                return false;
        }
    });
    header.dictionary = type == kDictionaryPage;
    if (!reader.ok() || (type != kDataPage && type != kDictionaryPage) ||
        header.uncompressed_bytes < 0 || header.compressed_bytes < 0 || header.values < 0) {
        return Error{ErrorCode::Corrupt,
                     "a Parquet page header is damaged or of a kind that no Taffrail file uses"};
    }
    return ParsedPageHeader{header, reader.offset()};
}

}  // namespace taffrail::parquet
