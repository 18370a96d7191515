// A stranger's program on the MPI component: a world of one, or of as many as mpirun starts.
#include <taffrail/mpi.h>

#include <cstdio>

int main() {
    const auto ranks = taffrail::mpi_communicator(std::chrono::seconds(10)).value();
    double one = 1;
    ranks->all_reduce(std::span<double>(&one, 1), taffrail::ReduceOp::Sum).value();
    std::printf("%d of %d\n", static_cast<int>(one), ranks->world_size());
    return one == ranks->world_size() ? 0 : 1;
}
