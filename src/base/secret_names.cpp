#include "base/secret_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace taffrail {
namespace {

/// "HF_TOKEN", "apiKey", "db.password" → lower-case words.
std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words(1);
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const bool is_upper = c >= 'A' && c <= 'Z';
        const bool is_lower = c >= 'a' && c <= 'z';
        const bool is_digit = c >= '0' && c <= '9';
        const bool after_lower = i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
        if ((!is_upper && !is_lower && !is_digit) || (is_upper && after_lower)) {
            words.emplace_back();
        }
        if (is_upper || is_lower || is_digit) {
            words.back() += static_cast<char>(is_upper ? c - 'A' + 'a' : c);
        }
    }
    std::erase(words, "");
    return words;
}

template <std::size_t kCount>
bool is_one_of(std::string_view word, const std::array<std::string_view, kCount>& list) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

bool names_password(const std::vector<std::string>& words) {
    constexpr std::array<std::string_view, 17> kAlways = {
        "password",   "passwd",      "pwd",         "passphrase",    "secret",    "secrets",
        "credential", "credentials", "apikey",      "authorization", "accesskey", "secretkey",
        "privatekey", "authtoken",   "accesstoken", "sig",           "signature"};
    constexpr std::array<std::string_view, 10> kBeforeKey = {
        "api",     "access",  "secret",     "private", "auth",
        "account", "signing", "encryption", "shared",  "license"};
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (is_one_of(words[i], kAlways)) {
            return true;
        }
        if (words[i] == "key" && i > 0 && is_one_of(words[i - 1], kBeforeKey)) {
            return true;
        }
    }
    // Everyday words inside longer names (forward_pass, pin_memory, auth_mode), so alone or behind
    // the name of an account.
    constexpr std::array<std::string_view, 4> kAlone = {"pass", "pw", "pin", "auth"};
    constexpr std::array<std::string_view, 12> kAccounts = {"db",   "login", "account", "database",
                                                            "user", "admin", "root",    "mysql",
                                                            "smtp", "ftp",   "http",    "proxy"};
    return !words.empty() && is_one_of(words.back(), kAlone) &&
           (words.size() == 1 || is_one_of(words[words.size() - 2], kAccounts));
}

}  // namespace

bool is_password_name(std::string_view name) {
    return names_password(words_of(name));
}

bool is_secret_name(std::string_view name) {
    const std::vector<std::string> words = words_of(name);
    if (names_password(words)) {
        return true;
    }
    // "token" counts only at the end: max_tokens, token_count and tokenizer are everyday words
    // here, and so are the marks of a vocabulary.
    if (words.empty() || words.back() != "token") {
        return false;
    }
    constexpr std::array<std::string_view, 18> kMarks = {
        "pad",   "eos",   "bos",  "unk",   "mask", "sep",   "cls",   "start", "end",
        "image", "video", "stop", "blank", "per",  "extra", "class", "audio", "special"};
    return words.size() < 2 || !is_one_of(words[words.size() - 2], kMarks);
}

bool is_fingerprint_name(std::string_view name) {
    constexpr std::array<std::string_view, 14> kWords = {
        "commit",   "sha",      "sha1", "sha256", "md5",  "hash", "digest",
        "checksum", "revision", "rev",  "git",    "etag", "crc",  "fingerprint"};
    const std::vector<std::string> words = words_of(name);
    return !words.empty() && is_one_of(words.back(), kWords);
}

bool is_identifier_name(std::string_view name) {
    const std::vector<std::string> words = words_of(name);
    return !words.empty() &&
           is_one_of(words.back(), std::array<std::string_view, 3>{"id", "uuid", "guid"});
}

}  // namespace taffrail
