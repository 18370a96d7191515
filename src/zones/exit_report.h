// The table when a program ends: by returning, by exit(), by an uncaught exception, by Ctrl-C or a
// request to terminate.
#pragma once

#include <taffrail/zone.h>

namespace taffrail::zones {

/// At the first zone: reads TAFFRAIL_ZONES and gets ready to print.
void arm_exit_report() noexcept;

/// A run or a trainer is there and says itself what is printed: nothing by default any more.
void leave_report_to_others() noexcept;

}  // namespace taffrail::zones
