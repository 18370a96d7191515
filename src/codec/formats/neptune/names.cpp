#include "codec/formats/neptune/names.h"

#include "codec/blake2b.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace taffrail::formats::neptune {
namespace {

std::string safe(std::string_view text, std::size_t longest) {
    std::string made(text);
    std::ranges::replace_if(made, [](char c) { return c == '/' || c == '.'; }, '_');
    const std::string digest = "-" + blake2b_64_hex(as_bytes(text));
    return made.substr(0, longest - digest.size()) + digest;
}

}  // namespace

bool is_reserved(std::string_view key) noexcept {
    return key.starts_with("sys/") || key.starts_with("runtime/") || key.starts_with("config/") ||
           key.starts_with("summary/") || key.starts_with("taffrail/");
}

std::string destination(std::string_view run_id, std::string_view attribute,
                        std::optional<std::uint64_t> micro_step, std::string_view file) {
    std::array<char, 48> step{};
    if (micro_step) {
        std::snprintf(step.data(), step.size(), "%012llu_%06llu",
                      static_cast<unsigned long long>(*micro_step / kMicro),
                      static_cast<unsigned long long>(*micro_step % kMicro));
    }
    return safe(run_id, 300) + "/" + safe(attribute, 300) + "/" +
           (micro_step ? std::string(step.data()) : "none") + "/" + std::string(file);
}

std::string folder_part(std::string_view text) {
    std::string made(text.substr(0, 100));
    std::ranges::replace_if(
        made,
        [](char c) {
            return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '_');
        },
        '_');
    return made;
}

}  // namespace taffrail::formats::neptune
