// A flame graph as one SVG file that needs nothing else: zoom, search and details are inside.
#pragma once

#include "profile/flame/layout.h"
#include "profile/output.h"

namespace taffrail::profile {

/// `standalone` false: an element for a page, without the XML head.
void write_flame_svg(const FlameLayout& layout, const FlameOptions& options, Output& out,
                     bool standalone = true);

/// The format "svg": a flame graph of the profile.
Result<void> write_svg(Profile& profile, Output& out, const WriteOptions& options);
/// The format "html": one page with the flame graph and the table of functions.
Result<void> write_html(Profile& profile, Output& out, const WriteOptions& options);
/// Such a page around a drawing that is made already; table and saved profile are those of
/// `profile`, of a comparison the one that is drawn.
Result<void> write_flame_page(const FlameLayout& layout, const FlameOptions& options,
                              Profile& profile, Output& out);

/// 1234567 ns → "1.235 ms"; other units as a number with their name.
std::string value_text(double value, std::string_view unit);

/// "work (/home/me/train.py:12)" → "work (train.py:12)": what a box has room for. Others as they
/// are.
std::string short_title(std::string_view title);

/// `<`, `&`, quotes and what XML does not allow at all.
void append_xml(std::string& to, std::string_view text);

}  // namespace taffrail::profile
