// What the library says about itself.
#include "base/diagnostics.h"

#include <gtest/gtest.h>

namespace taffrail {
namespace {

TEST(Diagnostics, FindingS22_ControlCharactersOfNamesAreShownNotSent) {
    std::string said;
    auto before =
        set_diagnostic_handler([&](DiagnosticLevel, std::string_view message) { said = message; });
    diagnose(DiagnosticLevel::Warning,
             "the key '\x1b]0;owned\x07\r\x7f\xc2\x9b 1m' is odd\n\tü\xc2");
    set_diagnostic_handler(std::move(before));
    EXPECT_EQ(said, "the key '\\x1b]0;owned\\x07\\x0d\\x7f\\x9b 1m' is odd\n\tü\xc2");
}

}  // namespace
}  // namespace taffrail
