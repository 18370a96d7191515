// Who started this process: torchrun, Slurm, Open MPI and their kin tell each rank who it is by
// variables. From them ranks find one another without talking.
#pragma once

#include "run/variables.h"

#include <cstdint>
#include <optional>
#include <string>

namespace taffrail::running {

struct Launch {
    std::string launcher;  ///< "torchrun", "slurm", "mpi"; "" when alone
    std::int32_t rank = 0;
    std::int32_t world_size = 1;
    std::int32_t local_rank = 0;  ///< on this machine
    std::uint32_t restarts = 0;   ///< how often the launcher started the ranks anew
    std::string job;  ///< the same in all ranks of one launch, different in others; "" when alone
};

Launch detect_launch(const Variables& variables);

/// The run id all ranks of this launch derive for the `number`-th run they open.
std::string shared_run_id(const Launch& launch, std::uint32_t number);

}  // namespace taffrail::running
