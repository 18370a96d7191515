#include "codec/formats/aim/hashing.h"

#include "codec/blake2b.h"

#include <algorithm>
#include <cmath>

namespace taffrail::formats::aim {
namespace {

constexpr std::int64_t kNumberSalt = -7494597716789683807, kArraySalt = 2965039128708897743,
                       kObjectSalt = -2435585119574290752, kTextSalt = 7540324813251503183,
                       kNone = 1393794177995070132;

std::int64_t salted(ByteSpan bytes, std::int64_t salt) noexcept {
    return static_cast<std::int64_t>(blake2b_64(bytes, static_cast<std::uint64_t>(salt)));
}

/// Python's hash of a float: the number modulo 2^61 - 1, fractions too.
std::int64_t python_hash(double value) noexcept {
    constexpr std::uint64_t kModulus = (std::uint64_t{1} << 61) - 1;
    if (!std::isfinite(value)) {
        return std::isnan(value) ? 0 : value > 0 ? 314159 : -314159;
    }
    int exponent = 0;
    double rest = std::frexp(std::fabs(value), &exponent);
    std::uint64_t hash = 0;
    while (rest != 0) {
        hash = ((hash << 28) & kModulus) | hash >> (61 - 28);
        rest *= 268435456.0;
        exponent -= 28;
        const auto part = static_cast<std::uint64_t>(rest);
        rest -= static_cast<double>(part);
        hash += part;
        if (hash >= kModulus) {
            hash -= kModulus;
        }
    }
    exponent = exponent >= 0 ? exponent % 61 : 60 - (-1 - exponent) % 61;
    hash = ((hash << exponent) & kModulus) | hash >> (61 - exponent);
    return value < 0 ? -static_cast<std::int64_t>(hash) : static_cast<std::int64_t>(hash);
}

std::int64_t hash_list(const std::vector<std::int64_t>& items, std::int64_t salt) noexcept {
    return salted(std::as_bytes(std::span(items)), salt);
}

}  // namespace

std::int64_t hash_of(double number) noexcept {
    const std::int64_t plain = python_hash(number);
    return salted(std::as_bytes(std::span(&plain, 1)), kNumberSalt);
}

std::int64_t hash_of(std::string_view text) {
    return salted(as_bytes(text), kTextSalt);
}

std::int64_t hash_of(const Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) {
        return hash_of(std::string_view(*text));
    }
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
        return hash_of(static_cast<double>(*whole));
    }
    if (const auto* number = std::get_if<double>(&cell)) {
        return hash_of(*number);
    }
    const auto* truth = std::get_if<bool>(&cell);
    return truth != nullptr ? hash_of(*truth ? 1.0 : 0.0) : kNone;
}

std::int64_t hash_of(const std::vector<std::pair<std::string, Cell>>& object) {
    std::vector<std::pair<std::int64_t, std::int64_t>> items;
    for (const auto& [name, cell] : object) {
        items.emplace_back(hash_of(std::string_view(name)), hash_of(cell));
    }
    std::ranges::sort(items);
    std::vector<std::int64_t> hashes;
    for (const auto& [name, value] : items) {
        hashes.push_back(hash_list({name, value}, kArraySalt));
    }
    return hash_list(hashes, kObjectSalt);
}

}  // namespace taffrail::formats::aim
