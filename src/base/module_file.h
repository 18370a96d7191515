// Modules of Taffrail that are loaded when they are first needed: a machine without the libraries
// of one lacks only what that module does.
#pragma once

#include <string>
#include <string_view>

namespace taffrail {

struct ModuleFile {
    void* entry = nullptr;  ///< the function asked for; stays for the life of the process
    /// What kept a module that is there from being loaded; empty where there is none.
    std::string problem;
};

/// Loads `file` and looks its function `entry` up. The environment variable `variable` names the
/// file where it is set; else it is looked for beside this library and beside the program, as they
/// lie installed and in a build tree, and then where the system looks.
ModuleFile load_module_file(const char* variable, std::string_view file, const char* entry);

}  // namespace taffrail
