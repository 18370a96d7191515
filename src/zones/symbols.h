// Names of functions by their address: the symbol tables of the program and of the libraries it
// has loaded, read once each. Local functions are in them as long as nobody stripped the file.
#pragma once

#include "base/bytes.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::zones {

struct Symbol {
    std::uint64_t begin = 0, size = 0;  ///< as the file counts addresses
    std::uint32_t name = 0;             ///< place in `SymbolTable::names`
};

struct SymbolTable {
    std::vector<Symbol> symbols = {};  ///< by address
    std::string names = {};            ///< each ends with a NUL

    /// The name of the function that holds `address`; empty when none does.
    [[nodiscard]] std::string_view find(std::uint64_t address) const noexcept;
};

/// The functions of a 64-bit ELF file of this machine; empty for anything else. Lengths and places
/// are checked: the file may be anything.
SymbolTable read_symbols(ByteSpan elf);

/// "vae::Model::forward(Batch const&)"; "function 0x55…" when there is no name. Takes a lock, and
/// reads a file when it is the first function of its library.
std::string function_name(const void* address);

}  // namespace taffrail::zones
