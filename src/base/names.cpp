#include "base/names.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace taffrail {
namespace {

constexpr std::array kAdjectives{
    "amber", "bold",    "brave",  "brisk",  "calm",   "clear",  "crisp", "dapper", "eager",
    "early", "fair",    "fleet",  "fresh",  "gentle", "golden", "grand", "happy",  "hardy",
    "keen",  "kind",    "light",  "lively", "lucky",  "mellow", "merry", "mild",   "nimble",
    "noble", "patient", "plucky", "prime",  "proud",  "quick",  "quiet", "rapid",  "ready",
    "royal", "rugged",  "sharp",  "silver", "smooth", "snug",   "solid", "steady", "still",
    "sunny", "swift",   "tidy",   "true",   "vivid",  "warm",   "wise",  "witty",  "young"};
constexpr std::array kNouns{
    "anchor",  "auk",      "badger", "barque", "beacon", "bittern", "brig",  "buoy",    "cedar",
    "cod",     "coral",    "crane",  "curlew", "cutter", "dolphin", "eider", "falcon",  "fjord",
    "fox",     "gannet",   "gull",   "harbor", "heron",  "island",  "kelp",  "ketch",   "kite",
    "lantern", "lark",     "lynx",   "marlin", "mast",   "narwhal", "orca",  "osprey",  "otter",
    "owl",     "pelican",  "pilot",  "pine",   "plover", "quay",    "raven", "reef",    "sail",
    "salmon",  "schooner", "seal",   "skua",   "sloop",  "tern",    "tide",  "trawler", "wren"};

}  // namespace

std::uint64_t random_u64() noexcept {
    std::uint64_t value = 0;
    if (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value)) {
        timespec now{};
        clock_gettime(CLOCK_REALTIME, &now);
        value = static_cast<std::uint64_t>(now.tv_nsec) * 0x9E3779B97F4A7C15u ^
                static_cast<std::uint64_t>(getpid());
    }
    return value;
}

std::string writer_name(std::uint64_t writer) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(writer));
    return text;
}

std::string with_dashes(std::string_view digits) {
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        text += i == 8 || i == 12 || i == 16 || i == 20 ? "-" : "";
        text += digits[i];
    }
    return text;
}

std::string make_run_id(std::int64_t time_ns) {
    static constexpr char kAlphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
    const auto milliseconds = static_cast<std::uint64_t>(time_ns / 1'000'000);
    const std::uint64_t high = random_u64(), low = random_u64();
    std::string id;
    for (int shift = 45; shift >= 0; shift -= 5) {
        id.push_back(kAlphabet[(milliseconds >> shift) & 31]);
    }
    for (int i = 0; i < 8; ++i) {
        id.push_back(kAlphabet[(high >> (5 * i)) & 31]);
    }
    for (int i = 0; i < 8; ++i) {
        id.push_back(kAlphabet[(low >> (5 * i)) & 31]);
    }
    return id;
}

std::string make_run_name(std::uint64_t seed) {
    return std::string(kAdjectives[seed % kAdjectives.size()]) + '-' +
           kNouns[(seed / kAdjectives.size()) % kNouns.size()];
}

std::string folder_safe(std::string_view name) {
    std::string safe;
    for (char c : name.substr(0, 48)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
        if (plain && !(safe.empty() && c == '.')) {
            safe.push_back(c);
        } else if (!safe.empty() && safe.back() != '-') {
            safe.push_back('-');
        }
    }
    while (!safe.empty() && (safe.back() == '-' || safe.back() == '.')) {
        safe.pop_back();
    }
    return safe;
}

}  // namespace taffrail
