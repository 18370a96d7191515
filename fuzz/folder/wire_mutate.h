// Changes inside messages: protobuf's wire format, batches of a log, the index of a sealed file.
#pragma once

#include "chance.h"

namespace taffrail::fuzzing {

/// One field of a message, at any depth; the lengths around it follow.
void mutate_message(Bytes& message, Chance& chance, unsigned depth = 0);
/// One thing of a batch frame's payload, or of any payload made of sections.
void mutate_batch(Bytes& payload, Chance& chance);
void mutate_sections(Bytes& payload, Chance& chance);
void mutate_index(Bytes& index, Chance& chance);
void mutate_footer(Bytes& footer, Chance& chance);

}  // namespace taffrail::fuzzing
