// The native store as a source among others.
#pragma once

namespace taffrail::storage {

void register_native_source();

}  // namespace taffrail::storage
