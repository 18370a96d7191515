// The arguments of a track event as JSON text.
#pragma once

#include "base/bytes.h"
#include "codec/json_writer.h"
#include "profile/formats/perfetto/interned.h"

#include <string>
#include <string_view>
#include <vector>

namespace taffrail::profile {

/// One argument: its name, and its value as JSON text.
struct Annotation {
    std::string name, json, text;  ///< `text` where it is one
};

/// Values nest; beyond 32 levels they are left out.
Annotation read_annotation(ByteSpan message, const PacketSequence& sequence,
                           const Profile& profile);

}  // namespace taffrail::profile
