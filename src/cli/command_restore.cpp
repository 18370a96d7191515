// restore: brings back runs that rm hid.
#include "cli/commands.h"
#include "cli/deletion.h"

namespace taffrail::cli {

std::unique_ptr<Command> make_restore() {
    return make_deletion(Deletion::BringBack);
}

}  // namespace taffrail::cli
