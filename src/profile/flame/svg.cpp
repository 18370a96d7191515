#include "profile/flame/svg.h"

#include "base/try.h"
#include "profile/flame/script.h"
#include "profile/id_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace taffrail::profile {
namespace {

constexpr double kWidth = 1200, kMargin = 12, kRow = 17, kGlyph = 6.65;
constexpr double kTop = 58, kBottom = 34;
// Then what the search found stands beside it.
constexpr std::size_t kTitleCharacters = 80;

void append_number(std::string& to, double value) {
    char digits[32];
    const auto end =
        std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, 2);
    std::string_view text(digits, static_cast<std::size_t>(end.ptr - digits));
    while (text.ends_with('0')) {
        text.remove_suffix(1);
    }
    if (text.ends_with('.')) {
        text.remove_suffix(1);
    }
    to.append(text);
}

/// Warm, and the same for the same name in every picture.
void append_color(std::string& to, std::string_view name) {
    const std::uint64_t hash = Texts::hash(name);
    const auto hue = static_cast<int>(10 + hash % 40);
    const auto light = static_cast<int>(62 + (hash >> 16) % 12);
    to += "hsl(" + std::to_string(hue) + "," + std::to_string(78 + (hash >> 32) % 14) + "%," +
          std::to_string(light) + "%)";
}

/// Red grew, blue shrank, the deeper the more; 10 points of the whole are full colour.
void append_delta_color(std::string& to, double delta) {
    const double strength = std::sqrt(std::min(std::abs(delta) / 0.1, 1.0));
    const int light = static_cast<int>(93 - 33 * strength);
    if (std::abs(delta) < 1e-4) {
        to += "#e9eaee";
    } else {
        to += (delta > 0 ? "hsl(6,85%," : "hsl(214,85%,") + std::to_string(light) + "%)";
    }
}

/// Whole characters that fit, with an ellipsis where some do not.
std::string_view cut_characters(std::string_view text, std::size_t room, bool& is_cut) {
    std::size_t count = 0, last = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) {
            continue;
        }
        if (count == room - 1) {
            last = at;
        }
        if (++count > room) {
            is_cut = true;
            return text.substr(0, last);
        }
    }
    return text;
}

class FlameSvg {
  public:
    FlameSvg(const FlameLayout& layout, const FlameOptions& options, Output& out)
        : layout_(layout),
          is_icicle_(options.is_icicle),
          out_(out),
          height_(kTop + kRow * std::max(layout.depth, 1u) + kBottom) {}

    void write(bool standalone) {
        if (standalone) {
            text("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        }
        text("<svg class=\"flame\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ");
        number(kWidth + 2 * kMargin);
        text(" ");
        number(height_);
        text(
            "\" width=\"100%\" preserveAspectRatio=\"xMidYMin meet\" data-width=\"1200\" "
            "data-left=\"12\" data-glyph=\"6.65\">\n<style>");
        text(flame_style());
        text("</style>\n");
        write_head();
        for (const FlameBox& box : layout_.boxes) {
            write_box(box);
        }
        // The script finds the boxes above it.
        text("<script>//<![CDATA[");
        text(flame_script());
        text("//]]></script>\n</svg>\n");
    }

  private:
    void text(std::string_view text) { out_.buffer().append(text); }

    void number(double value) { append_number(out_.buffer(), value); }

    void write_head() {
        const std::string_view title =
            layout_.title.empty() ? std::string_view("Flame graph") : layout_.title;
        bool is_cut = false;
        const std::string_view shown = cut_characters(title, kTitleCharacters, is_cut);
        text("<text class=\"head\" x=\"12\" y=\"26\">");
        if (is_cut) {
            text("<title>");
            append_xml(out_.buffer(), title);
            text("</title>");
        }
        append_xml(out_.buffer(), shown);
        text(is_cut ? "…" : "");
        text("</text>\n<text class=\"sub\" x=\"12\" y=\"45\">");
        append_xml(out_.buffer(), value_text(layout_.total, layout_.unit));
        if (layout_.is_comparison) {
            text(", before ");
            append_xml(out_.buffer(), value_text(layout_.total_before, layout_.unit));
            text(" · red: larger share than before, blue: smaller");
        } else {
            text(" · click a box to zoom, / to search, Escape to go back");
        }
        text("</text>\n<text class=\"hint\" x=\"1000\" y=\"26\" text-anchor=\"end\"></text>\n");
        text(
            "<foreignObject x=\"1012\" y=\"9\" width=\"200\" height=\"26\"><input "
            "xmlns=\"http://www.w3.org/1999/xhtml\" type=\"search\" placeholder=\"Search\" "
            "aria-label=\"Search\"/></foreignObject>\n");
        text(
            "<text class=\"button reset gone\" x=\"1212\" y=\"50\" text-anchor=\"end\">Show all"
            "</text>\n<text class=\"foot\" x=\"12\" y=\"");
        number(height_ - 13);
        text("\">");
        if (layout_.left_out > 0) {
            append_xml(out_.buffer(), value_text(static_cast<double>(layout_.left_out), "count"));
            text(" boxes are too narrow to be seen");
        }
        text("</text>\n");
    }

    void write_box(const FlameBox& box) {
        const std::string_view title = layout_.texts[box.title];
        const double x = kMargin + box.begin * kWidth, width = box.share * kWidth;
        const double y =
            is_icicle_ ? kTop + kRow * (box.depth - 1) : height_ - kBottom - kRow * box.depth;
        std::string& to = out_.buffer();
        to += "<g class=\"box\" data-depth=\"";
        to += std::to_string(box.depth);
        to += "\"><title>";
        append_xml(to, title);
        to += '\n';
        append_xml(to, value_text(box.value, layout_.unit));
        to += ", ";
        append_number(to, box.share * 100);
        to += " %";
        if (layout_.is_comparison) {
            to += box.delta < 0 ? " (" : " (+";
            append_number(to, box.delta * 100);
            to += " points)";
        }
        to += "</title><rect x=\"";
        append_number(to, x);
        to += "\" y=\"";
        append_number(to, y);
        to += "\" width=\"";
        append_number(to, width);
        to += "\" height=\"16\" fill=\"";
        layout_.is_comparison ? append_delta_color(to, box.delta) : append_color(to, title);
        to += "\"/>";
        const double room = (width - 6) / kGlyph;
        if (room >= 3) {
            bool is_cut = false;
            const std::string whole = short_title(title);
            const std::string_view shown =
                cut_characters(whole, static_cast<std::size_t>(room), is_cut);
            to += "<text x=\"";
            append_number(to, x + 4);
            to += "\" y=\"";
            append_number(to, y + 12);
            to += "\">";
            append_xml(to, shown);
            to += is_cut ? "…</text>" : "</text>";
        }
        to += "</g>\n";
        out_.pause();
    }

    const FlameLayout& layout_;
    bool is_icicle_;
    Output& out_;
    double height_;
};

}  // namespace

void write_flame_svg(const FlameLayout& layout, const FlameOptions& options, Output& out,
                     bool standalone) {
    FlameSvg(layout, options, out).write(standalone);
}

Result<void> write_svg(Profile& profile, Output& out, const WriteOptions& options) {
    const FlameOptions flame{.title = options.title.empty() ? profile.name : options.title,
                             .value = options.value,
                             .by_thread = options.by_thread};
    TAFFRAIL_ASSIGN(const FlameLayout layout, lay_out_flame(profile, flame));
    write_flame_svg(layout, flame, out);
    return out.finish();
}

}  // namespace taffrail::profile
