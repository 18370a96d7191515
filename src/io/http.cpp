#include "io/http.h"

namespace taffrail::io {

std::string_view HttpResponse::header(std::string_view name) const noexcept {
    for (const auto& [known, value] : headers) {
        if (known == name) {
            return value;
        }
    }
    return {};
}

std::string host_of(std::string_view url) {
    const std::size_t scheme = url.find("://");
    const std::size_t start = scheme == std::string_view::npos ? 0 : scheme + 3;
    std::string_view host = url.substr(start);
    host = host.substr(0, host.find_first_of("/?#"));
    if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
        host = host.substr(at + 1);
    }
    return std::string(url.substr(0, start)) + std::string(host);
}

std::string url_escape(std::string_view text, std::string_view kept) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string escaped;
    for (const char c : text) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
                              c == '~' || kept.find(c) != std::string_view::npos;
        if (is_plain) {
            escaped += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            escaped += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
        }
    }
    return escaped;
}

}  // namespace taffrail::io
