// Run by mpirun on four ranks: the suite that every communicator passes. Prints what is wrong and
// exits 1.
#include <taffrail/mpi.h>

#include "metrics/communicator_suite.h"

#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <thread>

int main(int argc, char** argv) {
    using namespace taffrail;
    auto world = mpi_communicator(std::chrono::seconds(20));
    if (!world.ok()) {
        std::fprintf(stderr, "%s\n", world.error().message.c_str());
        return 1;
    }
    if (argc > 1 && std::strcmp(argv[1], "missing") == 0) {
        // All ranks are there before the clock runs, and the one that stays away does so until
        // every other has given up: no rank is late because the machine is busy.
        auto impatient = mpi_communicator(std::chrono::seconds(3)).value();
        (void)(*world)->barrier();
        constexpr int kAway = 2;
        int said = 0;
        if (impatient->rank() == kAway) {
            for (int others = impatient->world_size() - 1; others > 0; --others) {
                MPI_Recv(&said, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            return 0;
        }
        const auto done = impatient->barrier();
        const bool named = !done.ok() && done.error().message.find("rank 2 ") != std::string::npos;
        MPI_Send(&said, 1, MPI_INT, kAway, 0, MPI_COMM_WORLD);
        // The library leaves MPI open once a rank stayed away, because ending it would wait for
        // that rank; here it comes.
        MPI_Finalize();
        return named ? 0 : 1;
    }
    for (const auto& check : {metrics_test::check_collectives, metrics_test::check_groups}) {
        if (const std::string problem = check(**world); !problem.empty()) {
            std::fprintf(stderr, "%s\n", problem.c_str());
            return 1;
        }
    }
    return 0;
}
