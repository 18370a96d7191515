// Operations of the log, read.
#pragma once

#include <taffrail/value.h>

#include "base/bytes.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace taffrail::formats::neptune {

struct FileReference {
    std::string path, mime;
    std::uint64_t size = 0;
};

using AttributeValue = std::variant<std::monostate, double, std::int64_t, bool, std::string,
                                    Histogram, FileReference, std::vector<std::string>>;

struct RunCreated {
    std::string family, experiment;
    std::int64_t time_ns = 0;
};

/// What an update says, one call for each entry.
struct UpdateVisitor {
    std::function<void(std::string_view path, const AttributeValue& value)> assign, append;
    std::function<void(std::string_view path, std::string_view tag, bool is_removed)> tag;
};

struct UpdateHead {
    std::optional<double> step;
    std::int64_t time_ns = 0;
};

std::optional<RunCreated> decode_create(ByteSpan bytes);
/// Step and time; nothing for bytes that are no update. They may stand behind the entries, so this
/// is asked first.
std::optional<UpdateHead> decode_head(ByteSpan bytes);
void decode_entries(ByteSpan bytes, const UpdateVisitor& visitor);

}  // namespace taffrail::formats::neptune
