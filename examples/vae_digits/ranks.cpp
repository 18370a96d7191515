#include "ranks.h"

#include <taffrail/communicators.h>

#include <cstdlib>
#ifdef VAE_DIGITS_WITH_MPI
#include <taffrail/mpi.h>
#endif

namespace vae_digits {

taffrail::Result<std::shared_ptr<taffrail::Communicator>> join_ranks() {
    const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
    if (size == nullptr || std::atoi(size) <= 1) {
        return taffrail::single_communicator();
    }
#ifdef VAE_DIGITS_WITH_MPI
    return taffrail::mpi_communicator(std::chrono::seconds(20));
#else
    return taffrail::Error{
        taffrail::ErrorCode::Unsupported,
        "started by mpirun, but this build has no MPI; configure with TAFFRAIL_MPI=ON where Open "
        "MPI is installed"};
#endif
}

}  // namespace vae_digits
