// What people type: run filters, expressions over series, overrides. Parsed and used, or refused
// with a place inside the text.
#include "config/overrides.h"
#include "query/expression.h"
#include "query/filter.h"

#include <cstdlib>
#include <string_view>
#include <vector>

using namespace taffrail;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    RunInfo info;
    info.name = "run";
    info.tags = {"ablation"};
    const std::vector<KeyInfo> keys(1);
    const auto filter = query::Filter::parse(text);
    if (const auto* parsed = std::get_if<query::Filter>(&filter)) {
        (void)parsed->matches(query::RunSubject(info, &keys));
    } else if (std::get<query::FilterError>(filter).offset > size) {
        std::abort();
    }
    const auto expression = query::Expression::parse(text);
    if (const auto* parsed = std::get_if<query::Expression>(&expression)) {
        const std::vector<double> values(parsed->keys().size(), 1.5);
        (void)parsed->evaluate(values);
    } else if (std::get<query::ExpressionError>(expression).offset > size) {
        std::abort();
    }
    (void)parse_override(text);
    return 0;
}
