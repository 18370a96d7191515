// YAML text → Config. The only place that knows yaml-cpp.
//
// yaml-cpp leaves all scalars as text; which ones are numbers, truths and nulls follows YAML 1.2
// with one addition that people expect: `1e-3` is a number.
#include "config/yaml.h"

#include <taffrail/config.h>

#include "base/strings.h"
#include "base/try.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace taffrail {
namespace {

ConfigPlace place_of(const YAML::Mark& mark, std::string_view file) {
    return {std::string(file), mark.line + 1, mark.column + 1};
}

Error error_at(const YAML::Mark& mark, std::string_view file, std::string_view message) {
    return {ErrorCode::InvalidArgument, place_of(mark, file).text() + ": " + std::string(message)};
}

/// What a file may become once its aliases stand for copies. Text without aliases never has more
/// values than bytes, so only towers of them meet this.
class Budget {
  public:
    explicit Budget(std::size_t text_bytes)
        : values_left_(text_bytes + 100'000), bytes_left_(text_bytes + (8u << 20)) {}

    /// False when a further value of `bytes` is too much.
    bool take(std::size_t bytes) {
        if (values_left_ == 0 || bytes > bytes_left_) {
            return false;
        }
        --values_left_;
        bytes_left_ -= bytes;
        return true;
    }

  private:
    std::size_t values_left_, bytes_left_;
};

Result<Config> convert(const YAML::Node& node, std::string_view file, int depth, Budget& budget);

Result<Config> convert_map(const YAML::Node& node, std::string_view file, int depth,
                           Budget& budget) {
    Config map = Config::map();
    std::set<std::string> seen;
    for (const auto& entry : node) {
        if (!entry.first.IsScalar()) {
            return error_at(entry.first.Mark(), file,
                            "a name must be plain text, not a list or map");
        }
        const std::string name = entry.first.Scalar();
        if (!seen.insert(name).second) {
            return error_at(entry.first.Mark(), file,
                            "'" + name + "' appears twice in this map; remove one of them");
        }
        TAFFRAIL_ASSIGN(Config child, convert(entry.second, file, depth + 1, budget));
        // The place of a name says more than that of its value, which may begin lines below.
        child.set_place(place_of(entry.first.Mark(), file));
        append_entry(map, name, std::move(child));
    }
    return map;
}

Result<Config> convert(const YAML::Node& node, std::string_view file, int depth, Budget& budget) {
    // Deeper than any configuration; anchors can nest text into towers.
    if (depth > 64) {
        return error_at(node.Mark(), file, "nested more than 64 levels deep");
    }
    if (!budget.take(node.IsScalar() ? node.Scalar().size() : 0)) {
        return error_at(node.Mark(), file,
                        "its aliases (*name) stand for far more than the file holds: write the "
                        "values out, or use fewer aliases of aliases");
    }
    Config result;
    switch (node.Type()) {
        case YAML::NodeType::Map: {
            TAFFRAIL_ASSIGN(result, convert_map(node, file, depth, budget));
            break;
        }
        case YAML::NodeType::Sequence: {
            result = Config::list();
            for (const auto& item : node) {
                TAFFRAIL_ASSIGN(Config child, convert(item, file, depth + 1, budget));
                result.push_back(std::move(child));
            }
            break;
        }
        case YAML::NodeType::Scalar: {
            // yaml-cpp tags quoted and block scalars with "!".
            result = scalar_from_text(node.Scalar(), node.Tag() == "!");
            break;
        }
        default:
            break;
    }
    result.set_place(place_of(node.Mark(), file));
    return result;
}

/// The place of a tab that indents the line of `mark` or the one with text before it. yaml-cpp
/// trips over what follows a tab and complains about that.
std::optional<YAML::Mark> indenting_tab(std::string_view yaml, const YAML::Mark& mark) {
    const std::vector<std::string_view> lines = split(yaml, '\n');
    int looked_at = 0;
    for (int line = std::min(mark.line, static_cast<int>(lines.size()) - 1);
         line >= 0 && looked_at < 2; --line) {
        const std::string_view text = lines[static_cast<std::size_t>(line)];
        const std::size_t begin = text.find_first_not_of(" \t\r");
        const std::size_t tab = text.find('\t');
        if (tab != text.npos && begin != text.npos && tab < begin) {
            YAML::Mark place = mark;
            place.line = line;
            place.column = static_cast<int>(tab);
            return place;
        }
        looked_at += begin == text.npos ? 0 : 1;
    }
    return std::nullopt;
}

// yaml-cpp 0.7 shortens its own messages to fragments; these say what to do.
std::string explain(const YAML::Exception& error) {
    const std::string& text = error.msg;
    if (text.find("end of map not found") != std::string::npos) {
        return "the map does not continue correctly here: check the indentation";
    }
    if (text.find("illegal map value") != std::string::npos) {
        return "a second ':' in one line: put the value in quotes or on its own line";
    }
    if (text.find("end of sequence") != std::string::npos) {
        return "a list is not closed: check the brackets and the indentation";
    }
    return text;
}

}  // namespace

Result<Config> Config::parse(std::string_view yaml, std::string_view file) {
    try {
        const auto documents = YAML::LoadAll(std::string(yaml));
        if (documents.size() > 1) {
            return Error{ErrorCode::InvalidArgument,
                         std::string(file) + ": holds " + std::to_string(documents.size()) +
                             " YAML documents; split it, one file each"};
        }
        if (documents.empty()) {
            return Config::map();
        }
        Budget budget(yaml.size());
        return convert(documents.front(), file, 0, budget);
    } catch (const YAML::Exception& error) {
        if (const auto tab = indenting_tab(yaml, error.mark)) {
            return error_at(*tab, file, "this line is indented with a tab: YAML takes only spaces");
        }
        return error_at(error.mark, file, explain(error));
    }
}

Result<Config> Config::parse_value(std::string_view text) {
    const std::string_view trimmed = trim(text);
    const bool structured = !trimmed.empty() && std::string_view("[{'\"").find(trimmed.front()) !=
                                                    std::string_view::npos;
    if (!structured) {
        return scalar_from_text(std::string(text), false);
    }
    return parse(trimmed, "<value>");
}

}  // namespace taffrail
