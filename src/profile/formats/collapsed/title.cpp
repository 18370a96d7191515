#include "base/strings.h"
#include "profile/formats/collapsed/collapsed.h"

namespace taffrail::profile {

std::string frame_title(const Profile& profile, FrameId frame) {
    const Frame& it = profile.frames[frame];
    std::string title(profile.texts[it.name]);
    if (it.file != 0) {
        title += " (";
        title += profile.texts[it.file];
        title += ":" + std::to_string(it.line) + ")";
    }
    return title;
}

FrameId frame_of_title(Profile& profile, std::string_view title) {
    if (title.ends_with(')')) {
        const std::size_t open = title.rfind(" (");
        const std::size_t colon = title.rfind(':');
        if (open != std::string_view::npos && colon != std::string_view::npos && open + 2 < colon) {
            const auto line = parse_int(title.substr(colon + 1, title.size() - colon - 2));
            if (line && *line >= 0 && *line <= UINT32_MAX) {
                return profile.frame(title.substr(0, open),
                                     title.substr(open + 2, colon - open - 2),
                                     static_cast<std::uint32_t>(*line));
            }
        }
    }
    return profile.frame(title);
}

}  // namespace taffrail::profile
