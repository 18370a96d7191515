#include "system/secrets.h"

#include "base/secret_names.h"
#include "base/strings.h"
#include "system/secret_rules.h"

#include <algorithm>
#include <array>

namespace taffrail::system {
namespace {

constexpr CharacterSet kTokenCharacters{
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.+/=~"};

bool is_name_char(char c) {
    return kNameCharacters.holds(c);
}

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

constexpr std::size_t kNone = std::string_view::npos;

/// Replaces "-----BEGIN … PRIVATE KEY----- … -----END …-----"; an unfinished block goes up to the
/// end.
void remove_key_blocks(std::string& text) {
    const std::string_view all = text;
    Rewriter rewriter(all);
    for (std::size_t begin = all.find("-----BEGIN "); begin != kNone;) {
        const std::size_t header_end = all.find("-----", begin + 11);
        if (header_end == kNone) {
            break;
        }
        if (all.substr(begin, header_end - begin).find("PRIVATE KEY") == kNone) {
            begin = all.find("-----BEGIN ", header_end);
            continue;
        }
        const std::size_t end = all.find("-----END ", header_end);
        const std::size_t last = end == kNone ? kNone : all.find("-----", end + 9);
        const std::size_t stop = last == kNone ? all.size() : last + 5;
        rewriter.replace(begin, stop, kRemoved);
        begin = all.find("-----BEGIN ", stop);
    }
    rewriter.finish(text);
}

/// Where the credentials of a URL end, which is at its '@'; `url` is what follows the scheme, `at`
/// its first '@'. A key pasted in as it is may hold slashes: "https://ab/cd@host.org" has no host
/// in front, so that all of it is taken; so does a password: "postgres://bob:p@s/s@db".
std::size_t credentials_end(std::string_view url, std::size_t at) {
    constexpr std::size_t kLongestHost = 256;
    const auto host_behind = [&](std::size_t sign) {
        const std::string_view rest = url.substr(sign + 1, kLongestHost);
        return rest.substr(0, rest.find_first_of("/?#"));
    };
    const std::string_view first = url.substr(0, url.find_first_of("/?#"));
    if (at < first.size()) {
        const std::size_t in_first = first.rfind('@');
        const std::size_t last = url.substr(0, 4 * kLongestHost).rfind('@');
        const bool is_cut = last > in_first && first.substr(0, at).find(':') != kNone &&
                            host_behind(in_first).find('.') == kNone;
        return is_cut ? last : in_first;
    }
    if (first.find('.') != kNone || first == "localhost" || first.starts_with("localhost:")) {
        return kNone;
    }
    return host_behind(at).find('.') != kNone ? at : kNone;
}

/// "https://user:token@host" → "https://[removed]@host".
void remove_url_credentials(std::string& text) {
    constexpr std::string_view kBlank = " \t\r\n\"'<>`";
    const std::string_view all = text;
    Rewriter rewriter(all);
    std::size_t word_end = 0, at = 0;  // of the word and the first '@' behind the last scheme seen
    for (std::size_t scheme = all.find("://"); scheme != kNone;) {
        std::size_t start = scheme + 3;
        word_end =
            word_end > start ? word_end : std::min(all.find_first_of(kBlank, start), all.size());
        at = at != kNone && at < start ? all.find('@', start) : at;
        if (at != kNone && at < word_end) {
            const std::size_t end =
                credentials_end(all.substr(start, word_end - start), at - start);
            if (end != kNone) {
                rewriter.replace(start, start + end, kRemoved);
                start += end;
            }
        }
        scheme = all.find("://", start);
    }
    rewriter.finish(text);
}

/// The end of the value that starts at `start`: at the closing quote, else at the first character
/// values do not hold.
std::size_t value_end(std::string_view text, std::size_t start, char quote) {
    const std::string_view stops = quote == '"'    ? "\"\n"
                                   : quote == '\'' ? "'\n"
                                                   : " \t\r\n,;&)}]\"'";
    return std::min(text.find_first_of(stops, start), text.size());
}

/// A reference to a variable or a mark: told by its beginning, before anybody looks for its end.
bool begins_harmless(std::string_view value) {
    return value.starts_with('$') || value.starts_with('<') ||
           value.starts_with(kRemoved.substr(0, kRemoved.size() - 1));  // values end before ']'
}

/// `name = value`, `name: value`, `"name": "value"`, `Authorization: Bearer value`.
void remove_named_values(std::string& text) {
    const std::string_view all = text;
    Rewriter rewriter(all);
    std::size_t i = 0;
    while (i < all.size()) {
        if (!is_name_char(all[i])) {
            ++i;
            continue;
        }
        const std::size_t name_start = i;
        while (i < all.size() && is_name_char(all[i])) {
            ++i;
        }
        const std::string_view name = all.substr(name_start, i - name_start);
        const bool is_scheme = name == "Bearer" || name == "Basic" || name == "bearer";
        std::size_t at = i;
        if (at < all.size() && (all[at] == '"' || all[at] == '\'')) {
            ++at;
        }
        while (at < all.size() && is_blank(all[at])) {
            ++at;
        }
        bool assigned = is_scheme;
        while (at < all.size() && (all[at] == ':' || all[at] == '=')) {
            ++at;
            assigned = true;
        }
        // Few words are assigned anything: the question about the name comes second.
        if (!assigned || (!is_scheme && !is_secret_name(name))) {
            continue;
        }
        while (at < all.size() && is_blank(all[at])) {
            ++at;
        }
        char quote = 0;
        if (at < all.size() && (all[at] == '"' || all[at] == '\'')) {
            quote = all[at++];
        }
        if (begins_harmless(all.substr(at))) {
            continue;
        }
        const std::size_t end = value_end(all, at, quote);
        const std::string_view value = all.substr(at, end - at);
        const bool names_scheme = value == "Bearer" || value == "Basic";
        if (names_scheme || is_harmless_value(name, value) || (is_scheme && value.size() < 8)) {
            continue;
        }
        rewriter.replace(at, end, kRemoved);
        i = end;
    }
    rewriter.finish(text);
}

/// "key-0123…": a long random part that is joined to other words.
void remove_random_parts(std::string_view all, std::size_t from, std::size_t to,
                         Rewriter& rewriter) {
    constexpr CharacterSet kDashes{"-_"};
    const std::string_view word = all.substr(from, to - from);
    for (std::size_t start = 0; start < word.size();) {
        const std::size_t stop = kDashes.find_in(word, start);
        const std::string_view part = word.substr(start, stop - start);
        if (part.size() >= 32 && looks_random(part, SecretPlace::Text)) {
            rewriter.replace(from + start, from + stop, kRemoved);
        }
        start = stop + 1;
    }
}

/// One word, which is a run of the characters tokens are made of.
void remove_token(std::string_view all, std::size_t from, std::size_t to, SecretPlace place,
                  Rewriter& rewriter) {
    const auto word = [&] { return all.substr(from, to - from); };
    // "name=token" and "--flag=token" keep their name.
    if (const std::size_t equals = word().find('=');
        equals != kNone && from + equals + 1 < to && all[from + equals + 1] != '=') {
        from += equals + 1;
    }
    // A sign in front of a line of a diff is no part of the word.
    if (from < to && (all[from] == '+' || all[from] == '-') &&
        looks_like_secret(word().substr(1), place)) {
        ++from;
    }
    if (looks_like_secret(word(), place)) {
        rewriter.replace(from, to, kRemoved);
        return;
    }
    // A path or a dotted name may hold a token as one of its parts.
    constexpr CharacterSet kJoints{"/.=+"};
    for (std::size_t start = from; start < to;) {
        const std::size_t stop = kJoints.find_in(all.substr(0, to), start);
        const std::string_view part = all.substr(start, stop - start);
        const bool is_all = stop - start == to - from;  // asked already
        if (!is_all && looks_like_secret(part, place)) {
            rewriter.replace(start, stop, kRemoved);
        } else if (part.size() >= kShortestToken) {
            remove_random_parts(all, start, stop, rewriter);
        }
        start = stop + 1;
    }
}

void remove_tokens(std::string& text, SecretPlace place) {
    const std::string_view all = text;
    Rewriter rewriter(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t start = i;
        while (i < all.size() && kTokenCharacters.holds(all[i])) {
            ++i;
        }
        if (i - start >= kShortestToken) {
            remove_token(all, start, i, place, rewriter);
        }
    }
    rewriter.finish(text);
}

/// A hash or a UUID under a name that promises one: no more than that, so nothing else rides along.
bool is_named_fingerprint(std::string_view name, std::string_view text) {
    return (is_identifier_name(name) && is_uuid(text)) ||
           (is_fingerprint_name(name) && text.size() <= 128 && is_hexadecimal(text));
}

}  // namespace

bool is_harmless_value(std::string_view name, std::string_view value) {
    if (value.size() < 3 || begins_harmless(value)) {
        return true;
    }
    if (parse_double(value)) {
        return value.size() < 4 || !is_password_name(name);
    }
    constexpr std::array<std::string_view, 6> kWords = {"true", "false", "none",
                                                        "null", "self",  "str"};
    return value.size() <= 5 && std::ranges::find(kWords, to_lower(value)) != kWords.end();
}

std::string scrub_text(std::string_view text, SecretPlace place) {
    std::string out(text);
    remove_key_blocks(out);
    remove_url_credentials(out);
    remove_named_values(out);
    remove_command_passwords(out);
    remove_tokens(out, place);
    return out;
}

std::string scrub_secrets(std::string_view text) {
    return scrub_text(text, SecretPlace::Text);
}

void scrub_cells(Hparams& cells) {
    for (auto& [name, cell] : cells) {
        if (auto* text = std::get_if<std::string>(&cell)) {
            if (is_secret_name(name) && !is_harmless_value(name, *text)) {
                *text = kRemoved;
            } else if (!is_named_fingerprint(name, *text)) {
                *text = scrub_secrets(*text);
            }
        } else if (const auto* number = std::get_if<std::int64_t>(&cell)) {
            if (is_password_name(name) && !is_harmless_value(name, std::to_string(*number))) {
                cell = std::string(kRemoved);
            }
        }
    }
}

}  // namespace taffrail::system
