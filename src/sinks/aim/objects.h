// Values as Aim's objects: a custom leaf with its fields, bytes apart from the tree.
#pragma once

#include <taffrail/result.h>
#include <taffrail/value.h>

#include "codec/formats/aim/encoding.h"

#include <functional>
#include <string>
#include <string_view>

namespace taffrail::sinks::aim {

/// Takes a key and its leaf.
using Put = std::function<void(std::string_view key, std::string_view leaf)>;

/// What kind of sequence a value belongs to; `type` empty: the tracker has no object for it.
struct ObjectType {
    std::string type;         ///< "aim.image", "list(aim.image)", …
    std::string family;       ///< "images", "texts", …: where the page finds it
    std::int64_t length = 0;  ///< of a list
};

ObjectType type_of(const Value& value);
/// Writes the value at `path`, which type_of() gave a type.
Result<void> put_object(const formats::aim::Path& path, const Value& value, const Put& put);

}  // namespace taffrail::sinks::aim
