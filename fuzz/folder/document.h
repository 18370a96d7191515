// A folder in its decoded form: what the mutator changes and what is then written with valid
// checksums and compression, so that fuzzing reaches the code behind them.
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace taffrail::fuzzing {

/// How the parts of a file become its bytes.
enum class Form : std::uint8_t {
    Raw,     ///< one after the other
    Frames,  ///< each a frame of a log: type, rows and first row number beside its payload
    Table,   ///< a sealed Parquet file: pages, pyramid blocks, index, footer
    Events,  ///< each a record of an event file
};

enum class PartKind : std::uint8_t {
    Bytes,   ///< as they are
    Frame,   ///< number = type, second = rows << 48 | first row number
    Page,    ///< number = header (see table_parts.cpp), second = offset in the original file
    Block,   ///< second = offset in the original file
    Index,   ///< unpacked
    Footer,  ///< Parquet's own metadata
    Record,  ///< payload of an event
};

struct Part {
    PartKind kind = PartKind::Bytes;
    std::uint64_t number = 0, second = 0;
    Bytes content;
};

struct FileDocument {
    std::string name;  ///< below the folder, with '/'
    Form form = Form::Raw;
    std::vector<Part> parts;
};

struct FolderDocument {
    std::vector<FileDocument> files;
};

Bytes serialise(const FolderDocument& folder);
/// Nothing for bytes that are no document, or one beyond the limits of what is worth trying.
std::optional<FolderDocument> parse(ByteSpan bytes);

/// The files below a folder (local or in memory), taken apart by their names and first bytes.
FolderDocument take_apart(const std::string& folder);
/// Writes the files below `folder`, which must be in memory.
void put_together(const FolderDocument& document, const std::string& folder);

}  // namespace taffrail::fuzzing
