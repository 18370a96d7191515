// TensorBoard's data-provider service over a Catalogue.
#pragma once

#include <taffrail/reader.h>
#include <taffrail/result.h>

#include <memory>
#include <string>

namespace taffrail::tb_data_server {

/// A running gRPC server on the loopback interface.
class Server {
  public:
    virtual ~Server() = default;
    [[nodiscard]] virtual int port() const = 0;
};

/// Where the service finds its runs. TensorBoard asks before anything is read; the answer is then
/// "no runs yet".
class RunSource {
  public:
    virtual ~RunSource() = default;

    /// Name → run, sorted by name; only runs that have something to show.
    struct Named {
        std::string name;
        double start_time = 0;
        std::shared_ptr<RecordedRun> run;
    };

    [[nodiscard]] virtual std::vector<Named> runs() const = 0;
    [[nodiscard]] virtual std::shared_ptr<RecordedRun> find(const std::string& name) const = 0;
};

/// Opens 127.0.0.1:port (0 = any) and serves until the Server is destroyed.
Result<std::unique_ptr<Server>> serve(int port, std::string data_location,
                                      std::shared_ptr<const RunSource> source);

}  // namespace taffrail::tb_data_server
