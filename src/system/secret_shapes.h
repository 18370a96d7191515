// Whether a word looks like a key or a token by its letters alone.
#pragma once

#include <string_view>

namespace taffrail::system {

/// Where a word stands. A command line is short and secrets are at home there, so that shorter
/// words are taken for one: 16 characters instead of 20 or 24.
enum class SecretPlace { Text, CommandLine };

/// A known beginning, a UUID, or letters that follow each other as in no name.
bool looks_like_secret(std::string_view word, SecretPlace place);

/// True for a long run of letters and digits that looks random.
bool looks_random(std::string_view piece, SecretPlace place);

/// A password as generators make them: capitals, small letters, digits and several signs.
bool looks_like_password(std::string_view word);

bool is_uuid(std::string_view word);
bool is_hexadecimal(std::string_view word);

/// No shorter word is ever taken for a secret.
inline constexpr std::size_t kShortestToken = 15;

}  // namespace taffrail::system
