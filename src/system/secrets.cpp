#include "system/secrets.h"

#include "base/secret_names.h"
#include "base/strings.h"
#include "system/surprise.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace taffrail::system {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_alnum(char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
}

bool is_name_char(char c) {
    return is_alnum(c) || c == '_' || c == '-' || c == '.';
}

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

template <std::size_t kCount>
bool is_one_of(std::string_view word, const std::array<std::string_view, kCount>& list) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// Replaces "-----BEGIN … PRIVATE KEY----- … -----END …-----"; an unfinished block goes up to the
/// end.
std::string without_key_blocks(std::string_view text) {
    std::string out;
    for (;;) {
        const std::size_t begin = text.find("-----BEGIN ");
        const std::size_t header_end =
            begin == std::string_view::npos ? begin : text.find("-----", begin + 11);
        if (header_end == std::string_view::npos) {
            return out.append(text);
        }
        if (text.substr(begin, header_end - begin).find("PRIVATE KEY") == std::string_view::npos) {
            out.append(text.substr(0, header_end));
            text.remove_prefix(header_end);
            continue;
        }
        out.append(text.substr(0, begin)).append(kRemoved);
        const std::size_t end = text.find("-----END ", header_end);
        const std::size_t last = end == std::string_view::npos ? end : text.find("-----", end + 9);
        if (last == std::string_view::npos) {
            return out;
        }
        text.remove_prefix(last + 5);
    }
}

/// Where the credentials of a URL end, which is at its '@'. A key pasted in as it is may hold
/// slashes: "https://ab/cd@host.org" has no host in front, so that all of it is taken.
std::size_t credentials_end(std::string_view rest) {
    constexpr std::string_view kBlank = " \t\r\n\"'<>`";
    const std::size_t end = std::min(rest.find_first_of(kBlank), rest.size());
    const std::string_view url = rest.substr(0, end);
    const std::string_view first = url.substr(0, url.find_first_of("/?#"));
    if (const std::size_t at = first.rfind('@'); at != std::string_view::npos) {
        return at;
    }
    const std::size_t at = url.find('@');
    if (at == std::string_view::npos || first.find('.') != std::string_view::npos ||
        first == "localhost" || first.starts_with("localhost:")) {
        return std::string_view::npos;
    }
    const std::string_view host = url.substr(at + 1, url.find_first_of("/?#", at) - at - 1);
    return host.find('.') != std::string_view::npos ? at : std::string_view::npos;
}

/// "https://user:token@host" → "https://[removed]@host".
std::string without_url_credentials(std::string_view text) {
    std::string out;
    for (;;) {
        const std::size_t scheme = text.find("://");
        if (scheme == std::string_view::npos) {
            return out.append(text);
        }
        const std::size_t start = scheme + 3;
        const std::size_t at = credentials_end(text.substr(start));
        out.append(text.substr(0, start));
        if (at != std::string_view::npos) {
            out.append(kRemoved);
            text.remove_prefix(start + at);
        } else {
            text.remove_prefix(start);
        }
    }
}

/// A value nobody would keep secret: a small number, a truth value, a variable reference, nothing.
bool is_harmless_value(std::string_view name, std::string_view value) {
    if (value.size() < 3 || value.front() == '$' || value.front() == '<' ||
        value.starts_with(kRemoved.substr(0, kRemoved.size() - 1))) {  // values end before ']'
        return true;
    }
    if (parse_double(value)) {
        return value.size() < 4 || !is_password_name(name);
    }
    const std::string lower = to_lower(value);
    return is_one_of(
        lower, std::array<std::string_view, 6>{"true", "false", "none", "null", "self", "str"});
}

/// The end of the value that starts at `start`: at the closing quote, else at the first character
/// values do not hold.
std::size_t value_end(std::string_view text, std::size_t start, char quote) {
    const std::string_view stops = quote == '"'    ? "\"\n"
                                   : quote == '\'' ? "'\n"
                                                   : " \t\r\n,;&)}]\"'";
    return std::min(text.find_first_of(stops, start), text.size());
}

/// `name = value`, `name: value`, `"name": "value"`, `Authorization: Bearer value`.
std::string without_named_values(std::string_view text) {
    std::string out;
    std::size_t i = 0;
    while (i < text.size()) {
        if (!is_name_char(text[i])) {
            out += text[i++];
            continue;
        }
        const std::size_t name_start = i;
        while (i < text.size() && is_name_char(text[i])) {
            ++i;
        }
        const std::string_view name = text.substr(name_start, i - name_start);
        out.append(name);
        const bool is_scheme = name == "Bearer" || name == "Basic" || name == "bearer";
        if (!is_scheme && !is_secret_name(name)) {
            continue;
        }
        std::size_t at = i;
        if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
            ++at;
        }
        while (at < text.size() && is_blank(text[at])) {
            ++at;
        }
        bool assigned = is_scheme;
        while (at < text.size() && (text[at] == ':' || text[at] == '=')) {
            ++at;
            assigned = true;
        }
        while (at < text.size() && is_blank(text[at])) {
            ++at;
        }
        char quote = 0;
        if (at < text.size() && (text[at] == '"' || text[at] == '\'')) {
            quote = text[at++];
        }
        const std::size_t end = value_end(text, at, quote);
        const std::string_view value = text.substr(at, end - at);
        const bool names_scheme = value == "Bearer" || value == "Basic";
        if (!assigned || names_scheme || is_harmless_value(name, value) ||
            (is_scheme && value.size() < 8)) {
            continue;
        }
        out.append(text.substr(i, at - i)).append(kRemoved);
        i = end;
    }
    return out;
}

/// `curl -u name:password`, `mysql -ppassword`: passwords that no name stands in front of.
std::string without_command_passwords(std::string_view text) {
    constexpr std::array<std::string_view, 3> kUserFlags = {"-u ", "--user ", "--user="};
    constexpr std::array<std::string_view, 3> kClients = {"mysql", "mariadb", "sshpass"};
    constexpr std::string_view kEnd = " \t\r\n\"'`;|&)";
    std::string out;
    bool is_client = false;  // one of kClients stands earlier in this line
    for (std::size_t i = 0; i < text.size();) {
        const bool starts_word = i == 0 || !is_name_char(text[i - 1]);
        const std::string_view rest = text.substr(i);
        const auto starts = [&](std::string_view word) { return rest.starts_with(word); };
        is_client = text[i] != '\n' && (is_client || std::ranges::any_of(kClients, starts));
        const auto flag = std::ranges::find_if(kUserFlags, starts);
        std::size_t secret = 0;  // where it begins behind i
        if (starts_word && flag != kUserFlags.end()) {
            const std::string_view given = rest.substr(flag->size());
            const std::size_t colon = given.substr(0, given.find_first_of(kEnd)).find(':');
            secret = colon == std::string_view::npos ? 0 : flag->size() + colon + 1;
        } else if (starts_word && is_client && starts("-p") && rest.size() > 2) {
            secret = kEnd.find(rest[2]) == std::string_view::npos ? 2 : 0;
        }
        const std::size_t end = std::min(rest.find_first_of(kEnd, secret), rest.size());
        if (secret == 0 || end - secret < 4 || rest[secret] == '$') {
            out += text[i++];
            continue;
        }
        out.append(rest.substr(0, secret)).append(kRemoved);
        i += end;
    }
    return out;
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
        shape.hexadecimal = shape.hexadecimal && std::isxdigit(static_cast<unsigned char>(c)) != 0;
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
        return word.starts_with(prefix) && word.size() >= prefix.size() + 12;
    });
}

bool is_uuid(std::string_view word) {
    if (word.size() != 36) {
        return false;
    }
    for (std::size_t i = 0; i < word.size(); ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash != (word[i] == '-') ||
            (!dash && !std::isxdigit(static_cast<unsigned char>(word[i])))) {
            return false;
        }
    }
    return true;
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

bool piece_looks_random(std::string_view piece) {
    if (piece.size() < 20) {
        return false;
    }
    const Shape shape = shape_of(piece);
    const std::size_t letters = shape.lower + shape.upper;
    const bool is_number = letters == 0 || (letters == 1 && is_letter(piece.back()));  // "3.14…f"
    if (shape.hexadecimal && shape.digits >= 4 && !is_number && piece.size() >= 32) {
        return true;
    }
    // The fewer kinds of characters a piece mixes, the more it takes to call it random: the limits
    // lie between random strings and the names in common libraries.
    const double surprise = surprise_of(piece);
    if (shape.upper > 0 && shape.lower > 0) {
        const bool mixed = shape.digits > 0 || (shape.upper >= 4 && shape.lower >= 4);
        return mixed && surprise >= (has_readable_parts(piece) ? 5.4
                                     : shape.digits > 0        ? 4.85
                                                               : 5.15);
    }
    if (is_number || piece.size() < 24) {
        return false;
    }
    return surprise >= (shape.digits == 0 ? 5.3 : shape.upper > 0 || shape.digits < 3 ? 4.9 : 4.4);
}

/// "key-0123…": a long random part that is joined to other words.
std::string without_random_parts(std::string_view word) {
    std::string out;
    for (std::size_t start = 0; start <= word.size();) {
        const std::size_t stop = std::min(word.find_first_of("-_", start), word.size());
        const std::string_view part = word.substr(start, stop - start);
        out.append(part.size() >= 32 && piece_looks_random(part) ? kRemoved : part);
        if (stop < word.size()) {
            out += word[stop];
        }
        start = stop + 1;
    }
    return out;
}

/// A hash or a UUID under a name that promises one: no more than that, so nothing else rides along.
bool is_named_fingerprint(std::string_view name, std::string_view text) {
    return (is_identifier_name(name) && is_uuid(text)) ||
           (is_fingerprint_name(name) && text.size() <= 128 && shape_of(text).hexadecimal);
}

/// Words are runs of the characters tokens are made of; those that look like one are replaced.
std::string without_tokens(std::string_view text) {
    const auto is_token_char = [](char c) {
        return is_alnum(c) || c == '_' || c == '-' || c == '+' || c == '/' || c == '.' ||
               c == '=' || c == '~';
    };
    std::string out;
    std::size_t i = 0;
    while (i < text.size()) {
        if (!is_token_char(text[i])) {
            out += text[i++];
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && is_token_char(text[end])) {
            ++end;
        }
        std::string_view word = text.substr(i, end - i);
        i = end;
        // "name=token" and "--flag=token" keep their name.
        if (const std::size_t equals = word.find('='); equals != std::string_view::npos &&
                                                       equals + 1 < word.size() &&
                                                       word[equals + 1] != '=') {
            out.append(word.substr(0, equals + 1));
            word.remove_prefix(equals + 1);
        }
        // A sign in front of a line of a diff is no part of the word.
        if (!word.empty() && (word.front() == '+' || word.front() == '-') &&
            looks_like_secret(word.substr(1))) {
            out += word.front();
            word.remove_prefix(1);
        }
        if (looks_like_secret(word)) {
            out.append(kRemoved);
            continue;
        }
        // A path or a dotted name may hold a token as one of its parts.
        std::size_t start = 0;
        while (start <= word.size()) {
            const std::size_t stop = std::min(word.find_first_of("/.=+", start), word.size());
            const std::string_view part = word.substr(start, stop - start);
            out.append(looks_like_secret(part) ? std::string(kRemoved)
                                               : without_random_parts(part));
            if (stop < word.size()) {
                out += word[stop];
            }
            start = stop + 1;
        }
    }
    return out;
}

}  // namespace

bool looks_like_secret(std::string_view word) {
    while (!word.empty() && (word.back() == '.' || word.back() == '/')) {
        word.remove_suffix(1);
    }
    if (has_known_prefix(word) || is_uuid(word)) {
        return true;
    }
    if (word.find_first_of("/+.=~_-") == std::string_view::npos) {
        return piece_looks_random(word);
    }
    // Base64, with or without the URL alphabet: judged as a whole.
    if (word.size() < 32 || word.find('.') != std::string_view::npos) {
        return false;
    }
    const Shape shape = shape_of(word);
    const double limit = word.front() == '/' ? 5.2 : shape.digits > 0 ? 4.9 : 5.15;  // a path?
    return shape.upper >= 3 && shape.lower >= 3 && surprise_of(word) >= limit;
}

std::string scrub_secrets(std::string_view text) {
    return without_tokens(without_command_passwords(
        without_named_values(without_url_credentials(without_key_blocks(text)))));
}

std::vector<std::string> scrub_arguments(const std::vector<std::string>& arguments) {
    std::vector<std::string> out;
    std::string_view flag;  // the argument before, when its value is a secret
    for (const std::string& argument : arguments) {
        if (!flag.empty() && !argument.starts_with("--") && !is_harmless_value(flag, argument)) {
            out.emplace_back(kRemoved);
        } else {
            out.push_back(scrub_secrets(argument));
        }
        const bool named = argument.starts_with("-") && argument.find('=') == std::string::npos &&
                           is_secret_name(argument);
        flag = named || argument == "Bearer" ? std::string_view(argument) : std::string_view();
    }
    return out;
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
