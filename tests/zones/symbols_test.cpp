// Names of functions by their address, and symbol tables that are no good.
#include "zones/symbols.h"

#include "io/files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace taffrail::zones {
namespace {

[[gnu::noinline, gnu::used]] int local_function_of_a_test(int value) {
    asm volatile("");
    return value + 1;
}

TEST(FunctionNames, LocalAndForeignOnesAreFound) {
    EXPECT_EQ(function_name(reinterpret_cast<const void*>(&local_function_of_a_test)),
              "taffrail::zones::(anonymous namespace)::local_function_of_a_test(int)");
    // In a library, of which only the dynamic table may be left.
    EXPECT_NE(function_name(reinterpret_cast<const void*>(&std::qsort)).find("qsort"),
              std::string::npos);
    EXPECT_EQ(function_name(reinterpret_cast<const void*>(16)), "function 0x10");
}

TEST(FunctionNames, AFileThatIsDamagedGivesWhatCanBeRead) {
    const Bytes whole = *io::read_file("/proc/self/exe");
    EXPECT_GT(read_symbols(whole).symbols.size(), 100u);
    EXPECT_TRUE(read_symbols({}).symbols.empty());
    std::mt19937 random(6);
    Bytes head(whole.begin(), whole.begin() + 64);  // the header, which says where the rest is
    for (int trial = 0; trial < 2000; ++trial) {
        const bool is_whole = trial % 2 == 0;
        if (is_whole && trial > 4) {
            continue;  // the whole file is large
        }
        Bytes changed = is_whole ? whole : head;
        for (int change = 0; change < 4; ++change) {
            changed[random() % 64] = static_cast<std::byte>(random());
        }
        static_cast<void>(read_symbols(changed));
    }
    for (const std::size_t size : {1u, 63u, 64u, 100u, 4096u}) {
        static_cast<void>(read_symbols(ByteSpan(whole).first(std::min(size, whole.size()))));
    }
}

}  // namespace
}  // namespace taffrail::zones
