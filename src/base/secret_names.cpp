#include "base/secret_names.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace taffrail {
namespace {

// A word in small letters. No word that is looked for is longer; of a longer one only the length
// counts. Without allocation: long texts are full of names.
struct Word {
    static constexpr std::size_t kLongest = 16;
    std::array<char, kLongest> letters{};
    std::size_t size = 0;

    void add(char c) noexcept {
        if (size < kLongest) {
            letters[size] = c;
        }
        size += size <= kLongest;
    }

    [[nodiscard]] std::string_view text() const noexcept {
        return size > kLongest ? "(long)" : std::string_view(letters.data(), size);
    }
};

/// Calls `use(word before, word)` for each word of "HF_TOKEN", "apiKey", "db.password".
template <typename Use>
void each_word(std::string_view name, const Use& use) {
    Word before, word;
    const auto end_word = [&] {
        if (word.size > 0) {
            use(before.text(), word.text());
            before = word;
            word = {};
        }
    };
    for (std::size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const bool is_upper = c >= 'A' && c <= 'Z';
        const bool is_lower = c >= 'a' && c <= 'z';
        const bool is_digit = c >= '0' && c <= '9';
        const bool after_lower = i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
        if ((!is_upper && !is_lower && !is_digit) || (is_upper && after_lower)) {
            end_word();
        }
        if (is_upper || is_lower || is_digit) {
            word.add(static_cast<char>(is_upper ? c - 'A' + 'a' : c));
        }
    }
    end_word();
}

template <std::size_t kCount>
bool is_one_of(std::string_view word, const std::array<std::string_view, kCount>& list) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

// What a name says about its value.
struct Promise {
    bool password = false, token = false;
};

Promise promise_of(std::string_view name) {
    constexpr std::array<std::string_view, 17> kAlways = {
        "password",   "passwd",      "pwd",         "passphrase",    "secret",    "secrets",
        "credential", "credentials", "apikey",      "authorization", "accesskey", "secretkey",
        "privatekey", "authtoken",   "accesstoken", "sig",           "signature"};
    constexpr std::array<std::string_view, 10> kBeforeKey = {
        "api",     "access",  "secret",     "private", "auth",
        "account", "signing", "encryption", "shared",  "license"};
    // Everyday words inside longer names (forward_pass, pin_memory, auth_mode), so alone or behind
    // the name of an account.
    constexpr std::array<std::string_view, 4> kAlone = {"pass", "pw", "pin", "auth"};
    constexpr std::array<std::string_view, 12> kAccounts = {"db",   "login", "account", "database",
                                                            "user", "admin", "root",    "mysql",
                                                            "smtp", "ftp",   "http",    "proxy"};
    // "token" counts only at the end: max_tokens, token_count and tokenizer are everyday words
    // here, and so are the marks of a vocabulary.
    constexpr std::array<std::string_view, 18> kMarks = {
        "pad",   "eos",   "bos",  "unk",   "mask", "sep",   "cls",   "start", "end",
        "image", "video", "stop", "blank", "per",  "extra", "class", "audio", "special"};
    bool always = false, alone = false, token = false;
    each_word(name, [&](std::string_view before, std::string_view word) {
        always =
            always || is_one_of(word, kAlways) || (word == "key" && is_one_of(before, kBeforeKey));
        // Of the last word only.
        alone = is_one_of(word, kAlone) && (before.empty() || is_one_of(before, kAccounts));
        token = word == "token" && !is_one_of(before, kMarks);
    });
    return {always || alone, token};
}

}  // namespace

bool is_password_name(std::string_view name) {
    return promise_of(name).password;
}

bool is_secret_name(std::string_view name) {
    const Promise promise = promise_of(name);
    return promise.password || promise.token;
}

bool is_fingerprint_name(std::string_view name) {
    constexpr std::array<std::string_view, 14> kWords = {
        "commit",   "sha",      "sha1", "sha256", "md5",  "hash", "digest",
        "checksum", "revision", "rev",  "git",    "etag", "crc",  "fingerprint"};
    bool is_last = false;
    each_word(name,
              [&](std::string_view, std::string_view word) { is_last = is_one_of(word, kWords); });
    return is_last;
}

bool is_identifier_name(std::string_view name) {
    bool is_last = false;
    each_word(name, [&](std::string_view, std::string_view word) {
        is_last = word == "id" || word == "uuid" || word == "guid";
    });
    return is_last;
}

}  // namespace taffrail
