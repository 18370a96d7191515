// Ranks of an MPI job. Part of the component taffrail::mpi, which is built where Open MPI is found.
#pragma once

#include <taffrail/api.h>
#include <taffrail/communicators.h>

#include <chrono>
#include <memory>

namespace taffrail {

/// All ranks of the job (a duplicate of MPI_COMM_WORLD). Initialises MPI when the program did not,
/// and then finalises it at exit. Call it on every rank, from the thread that will use it.
TAFFRAIL_API Result<std::shared_ptr<Communicator>> mpi_communicator(
    std::chrono::milliseconds timeout = kCollectiveTimeout);

}  // namespace taffrail
