// Changes inside parts: messages in protobuf's wire format, batches of a log, parts of a sealed
// file.
#pragma once

#include <taffrail/value.h>

#include "chance.h"

namespace taffrail::fuzzing {

/// One field of a message, at any depth; the lengths around it follow. Anything else is changed as
/// bytes.
void mutate_message(Bytes& message, Chance& chance, unsigned depth = 0);
/// Names another blob wherever a message names `before`.
void rename_blob(Bytes& message, const BlobRef& before, const BlobRef& now, unsigned depth = 0);
/// One thing of a batch frame's payload, or of any payload made of sections.
void mutate_batch(Bytes& payload, Chance& chance);
void mutate_sections(Bytes& payload, Chance& chance);
/// One text of a page of texts, or any bytes of a page.
void mutate_page(Bytes& page, Chance& chance);
void mutate_index(Bytes& index, Chance& chance);
void mutate_footer(Bytes& footer, Chance& chance);

}  // namespace taffrail::fuzzing
