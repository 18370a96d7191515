#include "base/module_file.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <vector>

namespace taffrail {
namespace {

/// Where this code lies: the shared library it is part of, and the program.
std::vector<std::string> home_folders() {
    std::vector<std::string> folders;
    const auto add_parent = [&](const std::string& path) {
        if (const std::size_t slash = path.rfind('/'); slash != std::string::npos) {
            folders.push_back(path.substr(0, slash));
        }
    };
    Dl_info self{};
    if (dladdr(reinterpret_cast<const void*>(&load_module_file), &self) != 0 &&
        self.dli_fname != nullptr) {
        add_parent(self.dli_fname);
    }
    std::array<char, 4096> program;
    if (const ssize_t size = readlink("/proc/self/exe", program.data(), program.size()); size > 0) {
        add_parent(std::string(program.data(), static_cast<std::size_t>(size)));
    }
    return folders;
}

}  // namespace

ModuleFile load_module_file(const char* variable, std::string_view file, const char* entry) {
    ModuleFile found;
    void* library = nullptr;
    const auto attempt = [&](const std::string& path) {
        if (library != nullptr) {
            return;
        }
        library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            // The loader names the file it could not open: the module itself is just not there,
            // anything else is what the module misses.
            if (const std::string problem = dlerror();
                !problem.starts_with(path + ": cannot open")) {
                found.problem = problem;
            }
        }
    };
    if (const char* chosen = std::getenv(variable); chosen != nullptr && *chosen != '\0') {
        attempt(chosen);
    } else {
        const std::string name(file);
        for (const std::string& folder : home_folders()) {
            // Installed beside a library, installed beside a program, and inside a build tree.
            for (const char* relative : {"/taffrail/", "/../lib/taffrail/", "/../../lib/taffrail/",
                                         "/../../../lib/taffrail/", "/"}) {
                attempt(folder + relative + name);
            }
        }
        attempt(name);
    }
    if (library != nullptr) {
        found.entry = dlsym(library, entry);
        found.problem = found.entry != nullptr ? "" : "it has no function " + std::string(entry);
    }
    return found;
}

}  // namespace taffrail
