// How little a word reads like one: keys are drawn at random, names are spelled.
#pragma once

#include <string_view>

namespace taffrail::system {

/// Bits by which a character of `word` surprises, on average, someone who knows how names are
/// spelled: about 4 for names of classes, models and files, above 5 for nearly all random strings.
/// Signs between the parts of a name count for nothing, and so do runs such as "aaaa" and "0123".
double surprise_of(std::string_view word);

}  // namespace taffrail::system
