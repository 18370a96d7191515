#include "zones/symbols.h"

#include "io/files.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace taffrail::zones {

namespace {

/// The structure at `offset`, when all of it is in the file.
template <typename Part>
bool read_part(ByteSpan bytes, std::uint64_t offset, Part& part) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof part) {
        return false;
    }
    std::memcpy(&part, bytes.data() + offset, sizeof part);
    return true;
}

ByteSpan section_bytes(ByteSpan elf, const Elf64_Shdr& section) {
    if (section.sh_offset > elf.size() || section.sh_size > elf.size() - section.sh_offset) {
        return {};
    }
    return elf.subspan(section.sh_offset, section.sh_size);
}

void add_symbols(ByteSpan table, ByteSpan names, SymbolTable& to) {
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol{};
        static_cast<void>(read_part(table, at, symbol));
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
            symbol.st_name >= names.size()) {
            continue;
        }
        const std::string_view rest = as_text(names.subspan(symbol.st_name));
        const std::string_view name = rest.substr(0, rest.find('\0'));
        if (name.empty() || to.names.size() > UINT32_MAX - name.size() - 1) {
            continue;
        }
        to.symbols.push_back(
            {symbol.st_value, symbol.st_size, static_cast<std::uint32_t>(to.names.size())});
        to.names.append(name).push_back('\0');
    }
}

struct Module {
    std::uint64_t base = 0;
    SymbolTable table = {};
};

// The library around `address`, with its table.
const Module* module_of(const void* address, std::map<std::string, Module>& modules) {
    Dl_info info{};
    link_map* map = nullptr;
    if (::dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ||
        map == nullptr) {
        return nullptr;
    }
    const std::string path =
        map->l_name == nullptr || map->l_name[0] == '\0' ? "/proc/self/exe" : map->l_name;
    const auto known = modules.find(path);
    if (known != modules.end()) {
        return &known->second;
    }
    Module& made = modules[path];
    made.base = map->l_addr;
    auto file = io::open(path, io::OpenMode::Read);
    const auto size = io::stat(path);
    if (file.ok() && size.ok()) {
        if (const auto mapped = (*file)->map(size->size, io::MapAccess::Read); mapped.ok()) {
            made.table = read_symbols(mapped->bytes());
        }
    }
    return &made;
}

std::string readable(const char* symbol) {
    int status = 0;
    char* made = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    std::string name = status == 0 && made != nullptr ? made : symbol;
    std::free(made);
    return name;
}

}  // namespace

std::string_view SymbolTable::find(std::uint64_t address) const noexcept {
    auto after = std::ranges::upper_bound(symbols, address, {}, &Symbol::begin);
    if (after == symbols.begin()) {
        return {};
    }
    const Symbol& symbol = *--after;
    // Functions written in assembler often have no size.
    if (symbol.size != 0 && address - symbol.begin >= symbol.size) {
        return {};
    }
    return names.c_str() + symbol.name;
}

SymbolTable read_symbols(ByteSpan elf) {
    SymbolTable table;
    Elf64_Ehdr header{};
    if (!read_part(elf, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr)) {
        return table;
    }
    const auto section = [&](std::uint64_t index, Elf64_Shdr& to) {
        return index < header.e_shnum && header.e_shoff < elf.size() &&
               read_part(elf, header.e_shoff + index * sizeof(Elf64_Shdr), to);
    };
    // The whole table, and the dynamic one where the file was stripped.
    for (const std::uint32_t wanted : {SHT_SYMTAB, SHT_DYNSYM}) {
        for (std::uint64_t index = 0; index < header.e_shnum && table.symbols.empty(); ++index) {
            Elf64_Shdr symbols{}, names{};
            if (section(index, symbols) && symbols.sh_type == wanted &&
                section(symbols.sh_link, names)) {
                add_symbols(section_bytes(elf, symbols), section_bytes(elf, names), table);
            }
        }
    }
    std::ranges::stable_sort(table.symbols, {}, &Symbol::begin);
    return table;
}

std::string function_name(const void* address) {
    static std::mutex mutex;
    static auto* modules = new std::map<std::string, Module>;
    const std::lock_guard lock(mutex);
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (const Module* module = module_of(address, *modules); module != nullptr) {
        if (const std::string_view name = module->table.find(at - module->base); !name.empty()) {
            return readable(std::string(name).c_str());
        }
    }
    Dl_info info{};
    if (::dladdr(address, &info) != 0 && info.dli_sname != nullptr) {
        return readable(info.dli_sname);
    }
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "function 0x%" PRIxPTR, at);
    return text.data();
}

}  // namespace taffrail::zones
