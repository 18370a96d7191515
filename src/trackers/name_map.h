// The names of keys in one tracker: asked for once, kept.
//
// A refused byte is escaped so that readers give the key back (codec/escaped_names.h). A name that
// is longer than the tracker takes is cut and ends in a part of its hash; such keys cannot be told
// from their names, so long_names() lists them for a file beside the data.
#pragma once

#include "base/key_order.h"
#include "codec/escaped_names.h"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace taffrail::trackers {

struct NameRules {
    Refuses refuses;
    std::size_t longest = SIZE_MAX;  ///< bytes, 32 at least
    /// In the place of escape_name(), for trackers with escapes of their own; one to one too.
    std::function<std::string(std::string_view key)> escape = {};
};

class NameMap {
  public:
    explicit NameMap(NameRules rules) : rules_(std::move(rules)) {}

    /// Stays valid as long as this object.
    const std::string& name_of(std::string_view key);

    /// The keys whose names were cut, with those names.
    [[nodiscard]] const std::map<std::string, std::string, std::less<>>& long_names() const {
        return long_names_;
    }

  private:
    NameRules rules_;
    std::deque<std::string> names_;
    std::map<std::string, std::string, std::less<>> long_names_;
    KeyOrder<const std::string> order_;
};

}  // namespace taffrail::trackers
