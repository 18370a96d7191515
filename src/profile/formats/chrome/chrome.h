// Trace events as Chrome, PyTorch and many others write them: JSON, times in microseconds.
#pragma once

#include "profile/format.h"

namespace taffrail::profile {

bool is_chrome_trace(ByteSpan bytes);
/// One pass over the text, no tree: 200 MB/s and more. Events may come in any order.
Result<void> read_chrome_trace(ByteSpan bytes, Profile& profile);
/// The same, giving back the pages behind it.
Result<void> read_chrome_trace_once(const io::Mapping& pages, std::size_t size, Profile& profile);
Result<void> write_chrome_trace(Profile& profile, Output& out, const WriteOptions& options);

}  // namespace taffrail::profile
