// `${…}`: references to other values and to the environment, resolved depth first with the chain
// remembered, so that a circle is an error that shows its members.
#include <taffrail/config.h>

#include "base/strings.h"
#include "base/try.h"
#include "config/yaml.h"

#include <algorithm>
#include <cstdlib>

namespace taffrail {

/// Resolves one tree. Holds the unresolved original, because a reference may point anywhere in it.
class ConfigResolver {
  public:
    explicit ConfigResolver(const Config& root)
        : root_(root), values_left_(values_in(root) + 50'000) {}

    Result<Config> resolve(const Config& node, const std::string& path) {
        if (std::ranges::find(chain_, path) != chain_.end()) {
            std::string circle;
            for (const std::string& link : chain_) {
                circle += link + " → ";
            }
            return node.error("interpolation goes in a circle: " + circle + path);
        }
        // References to references double at every step, as aliases of aliases do.
        if (values_left_ == 0 || text_left_ == 0) {
            return node.error(
                "interpolation makes far more of this configuration than it holds: "
                "write values out that refer to values that refer further");
        }
        --values_left_;
        if (node.is_scalar()) {
            if (node.type() != Config::Type::Text) {
                return node;
            }
            chain_.push_back(path);
            auto result = resolve_text(node, path);
            chain_.pop_back();
            if (result && result->type() == Config::Type::Text) {
                const std::size_t bytes = std::get<std::string>(result->scalar_).size();
                text_left_ -= std::min(text_left_, bytes);
            }
            return result;
        }
        Config copy = node;
        for (std::size_t i = 0; i < node.children_.size(); ++i) {
            const std::string name = node.is_map() ? node.names_[i] : std::to_string(i);
            TAFFRAIL_ASSIGN(copy.children_[i],
                            resolve(node.children_[i], path.empty() ? name : path + "." + name));
        }
        return copy;
    }

  private:
    static std::size_t values_in(const Config& node) {
        std::size_t values = 1;
        for (const Config& child : node.children_) {
            values += values_in(child);
        }
        return values;
    }

    // The end of the `${` that begins at `open`, minding nested ones; npos when it is not closed.
    static std::size_t closing(std::string_view text, std::size_t open) {
        int depth = 0;
        for (std::size_t i = open; i < text.size(); ++i) {
            if (text.substr(i, 2) == "${") {
                ++depth;
                ++i;
            } else if (text[i] == '}' && --depth == 0) {
                return i;
            }
        }
        return std::string_view::npos;
    }

    Result<Config> resolve_text(const Config& node, const std::string& path) {
        const std::string text = std::get<std::string>(node.scalar_);
        std::string out;
        bool from_environment = false;
        bool any = false;
        for (std::size_t i = 0; i < text.size();) {
            if (text.compare(i, 3, "\\${") == 0) {
                out += "${";
                any = true;
                i += 3;
                continue;
            }
            if (text.compare(i, 2, "${") != 0) {
                out += text[i++];
                continue;
            }
            const std::size_t end = closing(text, i);
            if (end == std::string::npos) {
                return node.error("'${' without its '}' in '" + text + "'");
            }
            TAFFRAIL_ASSIGN(Config value, evaluate(node, text.substr(i + 2, end - i - 2), path));
            const bool whole = i == 0 && end + 1 == text.size();
            if (whole) {
                if (!value.environment_.empty()) {
                    value.environment_ = text;
                }
                value.place_ = node.place_;
                return value;
            }
            if (!value.is_scalar()) {
                return node.error("'" + text + "' joins text with " +
                                  std::string(to_string(value.type())));
            }
            from_environment = from_environment || !value.environment_.empty();
            out += value.as_text().value();
            any = true;
            i = end + 1;
        }
        if (!any) {
            return node;
        }
        Config result = scalar_from_text(out, true);
        result.place_ = node.place_;
        if (from_environment) {
            result.environment_ = text;
        }
        return result;
    }

    // One expression without its braces. Nested interpolations inside it are resolved first.
    Result<Config> evaluate(const Config& node, std::string expression, const std::string& path) {
        while (expression.find("${") != std::string::npos) {
            const std::size_t open = expression.find("${");
            const std::size_t end = closing(expression, open);
            if (end == std::string::npos) {
                return node.error("'${' without its '}' in '" + expression + "'");
            }
            TAFFRAIL_ASSIGN(Config inner,
                            evaluate(node, expression.substr(open + 2, end - open - 2), path));
            TAFFRAIL_ASSIGN(std::string text, inner.as_text());
            expression.replace(open, end + 1 - open, text);
        }
        const std::size_t colon = expression.find(':');
        if (colon != std::string::npos) {
            return call(node, expression.substr(0, colon), expression.substr(colon + 1));
        }
        return refer(node, std::string(trim(expression)), path);
    }

    Result<Config> call(const Config& node, std::string_view name, const std::string& argument) {
        if (name == "oc.env") {
            const std::size_t comma = argument.find(',');
            const std::string variable(trim(std::string_view(argument).substr(0, comma)));
            Config value;
            if (const char* found = std::getenv(variable.c_str())) {
                value = scalar_from_text(found, true);
                value.environment_ = "${oc.env:" + argument + "}";
            } else if (comma != std::string::npos) {
                value = scalar_from_text(
                    std::string(trim(std::string_view(argument).substr(comma + 1))), false);
            } else {
                return node.error("environment variable '" + variable +
                                  "' is not set; set it, or give a default: ${oc.env:" + variable +
                                  ",value}");
            }
            return value;
        }
        if (name == "oc.decode") {
            return Config::parse_value(argument);
        }
        return node.error("unknown resolver '" + std::string(name) +
                          "' (known: oc.env, oc.decode)");
    }

    Result<Config> refer(const Config& node, const std::string& reference,
                         const std::string& path) {
        std::string target = reference;
        if (target.starts_with('.')) {
            // One dot = beside this value, each further dot = one map higher.
            std::string base = path;
            while (target.starts_with('.')) {
                const std::size_t dot = base.rfind('.');
                base = dot == std::string::npos ? "" : base.substr(0, dot);
                target.erase(0, 1);
            }
            target = base.empty() ? target : base + "." + target;
        }
        const Config* found = root_.find(target);
        if (found == nullptr || target.empty()) {
            std::vector<std::string> candidates;
            for (const auto& [name, cell] : root_.flattened()) {
                candidates.push_back(name);
                std::ranges::replace(candidates.back(), '/', '.');
            }
            return node.error("'${" + reference + "}' refers to nothing" +
                              did_you_mean(target, candidates));
        }
        return resolve(*found, target);
    }

    const Config& root_;
    std::vector<std::string> chain_;
    std::size_t values_left_;
    std::size_t text_left_ = 64u << 20;  ///< bytes
};

Result<Config> Config::resolved() const {
    return ConfigResolver(*this).resolve(*this, "");
}

}  // namespace taffrail
