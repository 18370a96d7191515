#include "cli/commands.h"

namespace taffrail::cli {

std::vector<CommandFactory> all_commands() {
    return {make_ls,     make_show, make_compare, make_tail,
            make_export, make_list, make_version, make_completion};
}

}  // namespace taffrail::cli
