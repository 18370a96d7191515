#include "profile/formats/chrome/event_text.h"

namespace taffrail::profile {

std::string id_json(const Profile& profile, std::int64_t id, TextId id_text) {
    if (id_text == 0) {
        return std::to_string(id);
    }
    std::string json;
    append_json_string(json, profile.texts[id_text]);
    return json;
}

std::vector<std::string> thread_members(const Profile& profile) {
    std::vector<std::string> members;
    members.reserve(profile.threads.size());
    for (const Thread& thread : profile.threads) {
        const Process& process = profile.processes[thread.process];
        members.push_back("\"pid\":" + id_json(profile, process.id, process.id_text) +
                          ",\"tid\":" + id_json(profile, thread.id, thread.id_text));
    }
    return members;
}

}  // namespace taffrail::profile
