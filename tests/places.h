// Folders that tests need to know. Only places.cpp is compiled with their names: everything else is
// the same in every checkout, so that the compiler cache serves a fresh clone.
#pragma once

#include <string>

namespace taffrail::tests {

/// tests/data of the sources.
std::string data_folder();
/// The build folder this program belongs to.
std::string build_folder();

}  // namespace taffrail::tests
