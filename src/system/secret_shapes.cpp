#include "system/secret_shapes.h"

#include "system/surprise.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace taffrail::system {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// What is readable for so long is no key, and what is random for so long is one.
constexpr std::size_t kEnoughToJudge = 512;

bool is_hexadecimal_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

struct Shape {
    std::size_t upper = 0, lower = 0, digits = 0;
    bool hexadecimal = true;
};

Shape shape_of(std::string_view word) {
    Shape shape;
    for (const char c : word) {
        shape.lower += c >= 'a' && c <= 'z';
        shape.upper += c >= 'A' && c <= 'Z';
        shape.digits += c >= '0' && c <= '9';
        shape.hexadecimal = shape.hexadecimal && is_hexadecimal_digit(c);
    }
    return shape;
}

bool has_known_prefix(std::string_view word) {
    constexpr std::array<std::string_view, 38> kPrefixes = {
        "AKIA",        "ASIA",   "ghp_",  "gho_",     "ghu_",      "ghs_",     "ghr_",
        "github_pat_", "glpat-", "gldt-", "xoxb-",    "xoxa-",     "xoxp-",    "xoxr-",
        "xoxs-",       "xapp-",  "sk-",   "sk_live_", "sk_test_",  "rk_live_", "pk_live_",
        "hf_",         "AIza",   "ya29.", "npm_",     "pypi-",     "dop_v1_",  "eyJ",
        "SG.",         "nvapi-", "r8_",   "gsk_",     "dckr_pat_", "shpat_",   "AGE-SECRET-KEY-",
        "ATATT",       "hvs.",   "hvb."};
    return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view prefix) {
        return word.front() == prefix.front() && word.starts_with(prefix) &&
               word.size() >= prefix.size() + 12;
    });
}

/// The share of a word that is made of parts people can read: "Conv2dStaticSamePadding" is nearly
/// all of it.
double readable_share(std::string_view word) {
    std::size_t readable = 0;
    for (std::size_t i = 0; i < word.size();) {
        const std::size_t start = i;
        i += word[i] >= 'A' && word[i] <= 'Z';
        while (i < word.size() && word[i] >= 'a' && word[i] <= 'z') {
            ++i;
        }
        const std::string_view part = word.substr(start, i - start);
        const auto vowels = std::count_if(part.begin(), part.end(), [](char c) {
            return std::string_view("aeiouyAEIOUY").find(c) != std::string_view::npos;
        });
        if (part.size() >= 3 && static_cast<std::size_t>(vowels) * 5 >= part.size()) {
            readable += part.size();
        }
        i += i == start;
    }
    return static_cast<double>(readable) / static_cast<double>(word.size());
}

/// Made of readable parts with odd joints between them: "DeepseekV3ForCausalLM".
bool has_readable_parts(std::string_view word) {
    return readable_share(word) >= 0.6;
}

// The fewer kinds of characters a piece mixes, the more it takes to call it random: the limits lie
// between random strings and the names in common libraries.
bool is_surprising(std::string_view piece, const Shape& shape) {
    const double surprise = surprise_of(piece);
    if (shape.upper > 0 && shape.lower > 0) {
        const bool mixed = shape.digits > 0 || (shape.upper >= 4 && shape.lower >= 4);
        return mixed && surprise >= (has_readable_parts(piece) ? 5.4
                                     : shape.digits > 0        ? 4.85
                                                               : 5.15);
    }
    if (piece.size() < 24) {
        return false;
    }
    return surprise >= (shape.digits == 0 ? 5.3 : shape.upper > 0 || shape.digits < 3 ? 4.9 : 4.4);
}

// The same question about 16 characters: the limits let about one random string in a hundred pass.
bool is_surprising_argument(std::string_view piece, const Shape& shape) {
    const double surprise = surprise_of(piece);
    if (shape.upper > 0 && shape.lower > 0) {
        return surprise >= (has_readable_parts(piece) ? 5.4 : shape.digits > 0 ? 4.95 : 5.3);
    }
    return surprise >= (shape.digits < 3 && shape.lower > 0 ? 4.85 : 4.6);
}

}  // namespace

bool is_uuid(std::string_view word) {
    if (word.size() != 36) {
        return false;
    }
    for (std::size_t i = 0; i < word.size(); ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash != (word[i] == '-') || (!dash && !is_hexadecimal_digit(word[i]))) {
            return false;
        }
    }
    return true;
}

bool is_hexadecimal(std::string_view word) {
    return shape_of(word).hexadecimal;
}

bool looks_random(std::string_view piece, SecretPlace place) {
    if (piece.size() < (place == SecretPlace::CommandLine ? 16 : 20)) {
        return false;
    }
    piece = piece.substr(0, kEnoughToJudge);
    const Shape shape = shape_of(piece);
    const std::size_t letters = shape.lower + shape.upper;
    if (letters == 0 || (letters == 1 && is_letter(piece.back()))) {
        return false;  // a number: "3.14…f"
    }
    if (shape.hexadecimal && shape.digits >= 4 && piece.size() >= 32) {
        return true;
    }
    return (piece.size() >= 20 && is_surprising(piece, shape)) ||
           (place == SecretPlace::CommandLine && is_surprising_argument(piece, shape));
}

bool looks_like_secret(std::string_view word, SecretPlace place) {
    while (!word.empty() && (word.back() == '.' || word.back() == '/')) {
        word.remove_suffix(1);
    }
    if (word.size() < kShortestToken) {
        return false;
    }
    word = word.substr(0, kEnoughToJudge);
    if (has_known_prefix(word) || is_uuid(word)) {
        return true;
    }
    if (word.find_first_of("/+.=~_-") == std::string_view::npos) {
        return looks_random(word, place);
    }
    // Base64, with or without the URL alphabet: judged as a whole.
    if (word.size() < 32 || word.find('.') != std::string_view::npos) {
        return false;
    }
    const Shape shape = shape_of(word);
    const double limit = word.front() == '/' ? 5.2 : shape.digits > 0 ? 4.9 : 5.15;  // a path?
    return shape.upper >= 3 && shape.lower >= 3 && surprise_of(word) >= limit;
}

bool looks_like_password(std::string_view word) {
    constexpr std::string_view kSigns = "!@#$%^&*~";
    const Shape shape = shape_of(word);
    const auto signs = std::count_if(
        word.begin(), word.end(), [&](char c) { return kSigns.find(c) != std::string_view::npos; });
    const bool one_word = word.find_first_of(" \t\r\n/()[]{}<>\"',|") == std::string_view::npos;
    return word.size() >= 10 && one_word && signs >= 2 && shape.upper > 0 && shape.lower > 0 &&
           shape.digits > 0 && !has_readable_parts(word);
}

}  // namespace taffrail::system
