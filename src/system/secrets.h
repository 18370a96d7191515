// Taking secrets out of text before it is kept: by the name they are assigned to, and by their own
// shape.
//
// It removes too much rather than too little: a long hexadecimal number in a command line is taken
// for a key. What it looks for is listed in docs/privacy.md.
#pragma once

#include <taffrail/value.h>

#include <string>
#include <string_view>
#include <vector>

namespace taffrail::system {

/// What stands in the place of a secret.
inline constexpr std::string_view kRemoved = "[removed]";

/// The text with every secret replaced, in time proportional to its length: log calls wait for it,
/// because what is not searched yet must not reach a file. Private key blocks, user:password in
/// URLs, values assigned to names such as `password` or `api_key`, tokens with well-known prefixes,
/// and long strings that look random.
std::string scrub_secrets(std::string_view text);

/// Command line arguments: as above, and what only their order tells: the argument behind
/// `--password`, `-u` of curl, `-p` of sshpass; `-phunter2`; words of 16 characters that look
/// random.
std::vector<std::string> scrub_arguments(const std::vector<std::string>& arguments);

/// Hyperparameters and their like, in place: text as above, and whatever stands under a name such
/// as `db/password`. A commit or a checksum stays under a name that says so.
void scrub_cells(Hparams& cells);

}  // namespace taffrail::system
