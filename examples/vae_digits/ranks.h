// The other processes of this training, if a launcher started several.
#pragma once

#include <taffrail/communicator.h>

#include <memory>

namespace vae_digits {

/// MPI where the program was started by mpirun and built with it; otherwise a world of one.
taffrail::Result<std::shared_ptr<taffrail::Communicator>> join_ranks();

}  // namespace vae_digits
