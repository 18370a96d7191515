#include "trackers/name_map.h"

#include "base/bytes.h"
#include "base/sha256.h"

namespace taffrail::trackers {

const std::string& NameMap::name_of(std::string_view key) {
    if (const std::string* known = order_.find(key); known != nullptr) {
        return *known;
    }
    std::string name = rules_.escape ? rules_.escape(key) : escape_name(key, rules_.refuses);
    if (name.size() > rules_.longest) {
        const std::string mark = "-" + to_hex(sha256(as_bytes(key))).substr(0, 16);
        std::size_t end = rules_.longest - mark.size();
        // Neither in the middle of a character nor of an escape, nor behind a separator.
        while (end > 0 &&
               ((static_cast<unsigned char>(name[end]) & 0xC0) == 0x80 || name[end - 1] == '%' ||
                (end > 1 && name[end - 2] == '%') || name[end - 1] == '/')) {
            --end;
        }
        name = name.substr(0, end) + mark;
        long_names_.emplace(key, name);
    }
    return order_.add(key, names_.emplace_back(std::move(name)));
}

}  // namespace taffrail::trackers
