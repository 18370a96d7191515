// Passing errors up without noise.
#pragma once

#include <taffrail/result.h>

#define TAFFRAIL_CONCAT_INNER(a, b) a##b
#define TAFFRAIL_CONCAT(a, b) TAFFRAIL_CONCAT_INNER(a, b)

/// Returns the error of `expression` (a Result<T> for any T) from the enclosing function, if it has
/// one.
#define TAFFRAIL_TRY(expression)                                          \
    do {                                                                  \
        if (auto taffrail_result = (expression); !taffrail_result.ok()) { \
            return std::move(taffrail_result).error();                    \
        }                                                                 \
    } while (false)

/// Declares `declaration` from the value of `expression`, or returns its error.
#define TAFFRAIL_ASSIGN(declaration, expression) \
    TAFFRAIL_ASSIGN_INNER(TAFFRAIL_CONCAT(taffrail_result_, __LINE__), declaration, expression)
#define TAFFRAIL_ASSIGN_INNER(result, declaration, expression) \
    auto result = (expression);                                \
    if (!result.ok()) {                                        \
        return std::move(result).error();                      \
    }                                                          \
    declaration = *std::move(result)
