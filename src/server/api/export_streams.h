// The bodies of downloads, made piece by piece: raw points, never bins.
#pragma once

#include "server/api/api.h"
#include "server/api/export_job.h"

#include <memory>

namespace taffrail::server {

/// A producer for Response::stream. What cannot be read throws, which breaks the download off: half
/// a file that looks whole would be worse.
std::function<bool(ResponseStream&)> export_stream(const ApiContext& context,
                                                   std::shared_ptr<const ExportJob> job);

}  // namespace taffrail::server
