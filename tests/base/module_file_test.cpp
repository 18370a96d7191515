#include "base/module_file.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace taffrail {
namespace {

TEST(ModuleFile, IsNoProblemWhereThereIsNone) {
    ::unsetenv("TAFFRAIL_TEST_MODULE");
    const ModuleFile none = load_module_file("TAFFRAIL_TEST_MODULE", "no-such-module.so", "entry");
    EXPECT_EQ(none.entry, nullptr);
    EXPECT_EQ(none.problem, "");
    ::setenv("TAFFRAIL_TEST_MODULE", "/nowhere/module.so", 1);
    EXPECT_EQ(load_module_file("TAFFRAIL_TEST_MODULE", "x.so", "entry").problem, "");
}

TEST(ModuleFile, IsTheOneTheVariableNames) {
    ::setenv("TAFFRAIL_TEST_MODULE", "libm.so.6", 1);
    EXPECT_NE(load_module_file("TAFFRAIL_TEST_MODULE", "no-such-module.so", "cos").entry, nullptr);
    const ModuleFile lacking = load_module_file("TAFFRAIL_TEST_MODULE", "x.so", "no_such_function");
    EXPECT_EQ(lacking.entry, nullptr);
    EXPECT_NE(lacking.problem.find("no_such_function"), std::string::npos);
    ::unsetenv("TAFFRAIL_TEST_MODULE");
    EXPECT_NE(load_module_file("TAFFRAIL_TEST_MODULE", "libm.so.6", "cos").entry, nullptr)
        << "where the system looks";
}

TEST(ModuleFile, ThatCannotBeLoadedSaysWhatItMisses) {
    ::setenv("TAFFRAIL_TEST_MODULE", "/proc/self/status", 1);
    const ModuleFile broken = load_module_file("TAFFRAIL_TEST_MODULE", "x.so", "entry");
    EXPECT_EQ(broken.entry, nullptr);
    EXPECT_NE(broken.problem, "");
    ::unsetenv("TAFFRAIL_TEST_MODULE");
}

}  // namespace
}  // namespace taffrail
