#include "server/state_store.h"

#include "base/sha256.h"
#include "io/files.h"
#include "io/private_folder.h"

namespace taffrail::server {
namespace {

bool is_hash(std::string_view text) {
    return text.size() == 32 &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

Json& member_of(Json::Object& object, std::string_view name) {
    for (auto& [key, value] : object) {
        if (key == name) {
            return value;
        }
    }
    return object.emplace_back(std::string(name), Json()).second;
}

void erase_member(Json::Object& object, std::string_view name) {
    std::erase_if(object, [&](const auto& member) { return member.first == name; });
}

Json::Object StateStore::load(const std::string& name) const {
    std::string text;
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = memory_.find(name); found != memory_.end()) {
            text = found->second;
        } else if (!folder_.empty()) {
            if (auto stored = io::read_text(io::join(folder_, name + ".json"))) {
                text = memory_[name] = *std::move(stored);
            }
        }
    }
    auto parsed = parse_json(text);
    const Json::Object* object = parsed ? parsed->object() : nullptr;
    return object != nullptr ? *object : Json::Object();
}

Result<void> StateStore::save(const std::string& name, const Json::Object& object) {
    std::string text = Json(object).dump(1);
    const std::lock_guard lock(mutex_);
    if (!folder_.empty()) {
        if (auto made = io::make_private_directories(folder_); !made) {
            return made;
        }
        if (auto written =
                io::write_file_atomically(io::join(folder_, name + ".json"), as_bytes(text));
            !written) {
            return written;
        }
    }
    memory_[name] = std::move(text);
    return {};
}

Result<std::string> StateStore::save_state(std::string_view state) {
    const Sha256 digest = sha256(as_bytes(state));
    const std::string hash = to_hex(std::span(digest).first(16));
    const std::lock_guard lock(mutex_);
    if (!folder_.empty()) {
        const std::string folder = io::join(folder_, "states");
        if (auto made = io::make_directories(folder); !made) {
            return std::move(made).error();
        }
        if (auto written = io::write_file_atomically(io::join(folder, hash), as_bytes(state));
            !written) {
            return std::move(written).error();
        }
    }
    memory_["states/" + hash] = state;
    return hash;
}

std::optional<std::string> StateStore::load_state(std::string_view hash) const {
    if (!is_hash(hash)) {
        return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    if (const auto found = memory_.find("states/" + std::string(hash)); found != memory_.end()) {
        return found->second;
    }
    if (!folder_.empty()) {
        if (auto stored = io::read_text(io::join(io::join(folder_, "states"), hash))) {
            return *std::move(stored);
        }
    }
    return std::nullopt;
}

}  // namespace taffrail::server
