// Pages that are one file: what stands in them besides their text, as elements of HTML. The
// exported dashboard and the pages of profiles are packed with this.
#pragma once

#include "base/bytes.h"

#include <string>
#include <string_view>

namespace taffrail {

std::string base64(ByteSpan bytes);

/// JSON as an element of that id. Nothing in it can end the element.
std::string json_element(std::string_view id, std::string_view json);

/// Bytes, packed already, as an element of that id: base64.
std::string packed_element(std::string_view id, ByteSpan packed);

/// A link that saves bytes out of the page as a file of that name; `text` is HTML.
std::string saving_link(std::string_view file_name, ByteSpan packed, std::string_view text);

}  // namespace taffrail
