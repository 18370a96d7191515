#pragma once

namespace taffrail {

/// Registers every sink and source that comes with the library; does nothing the second time.
/// Static archives drop objects nobody names, so they are named here.
void register_builtins();

}  // namespace taffrail
