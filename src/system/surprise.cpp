#include "system/surprise.h"

#include <array>

namespace taffrail::system {
namespace {

// Bits (at most 9) of a letter at the beginning of a part of a name, and of a letter behind
// another one: counted over the long identifiers of common C, C++ and Python libraries.
constexpr std::string_view kFirst = "44455556496545548535546597";
constexpr std::array<std::string_view, 26> kBehind = {
    "95447859697343959332668669",  // a
    "39574689458388567556179869",  // b
    "36663894594447369453669779",  // c
    "46642675399566567456566988",  // d
    "58446669699553656243858459",  // e
    "47664389399454379445477969",  // f
    "47692875499264469455699989",  // g
    "29872899498557477464685979",  // h
    "56546559999352459654869695",  // i
    "49781669495978349856497999",  // j
    "55461686399565779756556994",  // k
    "36753878398388478842568769",  // l
    "26752789497448439857559999",  // m
    "48433539496676479943459989",  // n
    "65448569697442549345465989",  // o
    "37563575495477358354579969",  // p
    "58746779699366956448168899",  // q
    "36662678397646359544668959",  // r
    "47483775494466557743537658",  // s
    "48572894298588468355599759",  // t
    "64654578299443949443988799",  // u
    "47462567498446655545767899",  // v
    "36664785299464466356698998",  // w
    "48374679595747746752749579",  // x
    "66685778699554619625687999",  // y
    "29881898699798468957999687",  // z
};

// A new part begins without a sign between: "camelCase", "conv2d".
constexpr double kJoint = 2.5;
constexpr double kDigit = 3.3, kFirstDigit = 4.0;
// Capitals stand at beginnings and in acronyms, so that one more of anything behind them is rarer.
constexpr double kBehindCapital = 0.7;

enum class CharacterKind { Sign, Lower, Upper, Digit };

CharacterKind kind_of(char c) {
    return c >= 'a' && c <= 'z'   ? CharacterKind::Lower
           : c >= 'A' && c <= 'Z' ? CharacterKind::Upper
           : c >= '0' && c <= '9' ? CharacterKind::Digit
                                  : CharacterKind::Sign;
}

double bits_at_beginning(std::size_t letter) {
    return kFirst[letter] - '0';
}

double bits_behind(std::size_t before, std::size_t letter) {
    return kBehind[before][letter] - '0';
}

std::size_t letter_number(char c) {
    return static_cast<std::size_t>((c | 0x20) - 'a');
}

double bits_of(char before, char c) {
    const CharacterKind kind = kind_of(c), kind_before = kind_of(before);
    if (kind == CharacterKind::Digit) {
        return kind_before == CharacterKind::Digit ? kDigit : kFirstDigit;
    }
    const std::size_t letter = letter_number(c);
    if (kind_before == CharacterKind::Sign) {
        return bits_at_beginning(letter);
    }
    if (kind_before == CharacterKind::Digit ||
        (kind_before == CharacterKind::Lower && kind == CharacterKind::Upper)) {
        return bits_at_beginning(letter) + kJoint;
    }
    return bits_behind(letter_number(before), letter) +
           (kind_before == CharacterKind::Upper ? kBehindCapital : 0);
}

// "aaa", "abc", "321".
bool goes_on(std::string_view word, std::size_t at) {
    if (at < 2 || kind_of(word[at]) == CharacterKind::Sign) {
        return false;
    }
    const int step = word[at] - word[at - 1];
    return step >= -1 && step <= 1 && word[at - 1] - word[at - 2] == step;
}

}  // namespace

double surprise_of(std::string_view word) {
    double bits = 0;
    std::size_t characters = 0;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (kind_of(word[i]) == CharacterKind::Sign) {
            continue;
        }
        ++characters;
        bits += goes_on(word, i) ? 0 : bits_of(i > 0 ? word[i - 1] : '_', word[i]);
    }
    return characters > 0 ? bits / static_cast<double>(characters) : 0;
}

}  // namespace taffrail::system
