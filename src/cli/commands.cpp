#include "cli/commands.h"

namespace taffrail::cli {

std::vector<CommandFactory> all_commands() {
    return {make_demo,
#if defined(TAFFRAIL_HAS_SERVER)
            make_ui,
#endif
            make_ls,   make_show,   make_compare, make_tail, make_export,  make_import,
            make_sync, make_tag,    make_note,    make_rm,   make_restore, make_gc,
            make_du,   make_verify, make_seal,    make_list, make_version, make_completion};
}

}  // namespace taffrail::cli
