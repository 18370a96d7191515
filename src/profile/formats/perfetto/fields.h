// The field numbers of Perfetto's messages that are used here.
#pragma once

#include <cstdint>

namespace taffrail::profile::perfetto {

inline constexpr std::uint32_t kPacket = 1;

namespace packet {
inline constexpr std::uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequence = 10, kTrackEvent = 11,
                               kInterned = 12, kFlags = 13, kStateCleared = 41, kClockId = 58,
                               kDefaults = 59, kTrackDescriptor = 60;
}

namespace event {
inline constexpr std::uint32_t kCategoryIds = 3, kAnnotations = 4, kType = 9, kNameId = 10,
                               kTrack = 11, kCategories = 22, kName = 23, kCounter = 30,
                               kOldFlows = 36, kOldEndingFlows = 42, kRealCounter = 44, kFlows = 47,
                               kEndingFlows = 48;
inline constexpr std::uint64_t kBegin = 1, kEnd = 2, kInstant = 3, kCounterType = 4;
}  // namespace event

namespace track {
inline constexpr std::uint32_t kId = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5,
                               kCounter = 8, kStaticName = 10;
}

namespace process {
inline constexpr std::uint32_t kPid = 1, kSortIndex = 3, kName = 6, kLabels = 8;
}

namespace thread {
inline constexpr std::uint32_t kPid = 1, kTid = 2, kSortIndex = 3, kName = 5;
}

namespace annotation {
inline constexpr std::uint32_t kNameId = 1, kTruth = 2, kUnsigned = 3, kSigned = 4, kReal = 5,
                               kText = 6, kPointer = 7, kJson = 9, kName = 10, kMembers = 11,
                               kElements = 12, kTextId = 17;
}

}  // namespace taffrail::profile::perfetto
