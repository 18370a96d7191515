// Names of zones: what a site is called, and the sites of names that are made at run time.
#pragma once

#include <taffrail/zone.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taffrail::zones {

/// Gives the site its number, once, and tells the run's block of it. The caller need not hold the
/// lock of the threads.
void register_site(ZoneSite& site) noexcept;

struct SiteInfo {
    std::uint32_t id = 0;
    std::string name = {};
    std::string file = {};
    std::uint32_t line = 0;
};

/// All sites from number `after` on, in order.
std::vector<SiteInfo> sites_from(std::uint32_t after);

/// "void a::B<int>::c(long) const" → "a::B<int>::c".
std::string_view name_in_signature(std::string_view signature) noexcept;

std::string_view shown_name(const ZoneSite& site) noexcept;

}  // namespace taffrail::zones
