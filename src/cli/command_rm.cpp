// rm: hides runs; gc removes them for ever.
#include "cli/commands.h"
#include "cli/deletion.h"

namespace taffrail::cli {

std::unique_ptr<Command> make_rm() {
    return make_deletion(Deletion::Hide);
}

}  // namespace taffrail::cli
