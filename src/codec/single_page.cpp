#include "codec/single_page.h"

#include "base/md5.h"

namespace taffrail {

std::string base64(ByteSpan bytes) {
    return to_base64({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

std::string json_element(std::string_view id, std::string_view json) {
    std::string element = "<script type=\"application/json\" id=\"" + std::string(id) + "\">";
    for (const char letter : json) {
        if (letter == '<') {
            element += "\\u003c";
        } else {
            element += letter;
        }
    }
    return element + "</script>";
}

std::string packed_element(std::string_view id, ByteSpan packed) {
    return "<script type=\"text/plain\" id=\"" + std::string(id) + "\">" + base64(packed) +
           "</script>";
}

std::string saving_link(std::string_view file_name, ByteSpan packed, std::string_view text) {
    return "<a download=\"" + std::string(file_name) + "\" href=\"data:application/gzip;base64," +
           base64(packed) + "\">" + std::string(text) + "</a>";
}

}  // namespace taffrail
