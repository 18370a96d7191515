// Debian ships no static fmt, and its header-only mode costs 4.7 s per file: what its headers
// declare `extern template` is compiled here once.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE

namespace detail {
template FMT_API auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto thousands_sep_impl<wchar_t>(locale_ref) -> thousands_sep_result<wchar_t>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API auto decimal_point_impl(locale_ref) -> wchar_t;
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to<char>(buffer<char>&, string_view,
                                       basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
}  // namespace detail

FMT_END_NAMESPACE
