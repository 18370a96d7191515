// What MLflow says of a run, whatever it stands in, as a run here.
#pragma once

#include "model/gathered_run.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace taffrail::sources::mlflow {

class RunBuilder {
  public:
    RunBuilder() : content_(std::make_shared<model::GatheredContent>()) {}

    model::GatheredContent& content() noexcept { return *content_; }

    /// By the name there. `is_sql`: infinities stand as the largest numbers.
    void metric(std::string_view name, double value, std::int64_t time_ms, std::int64_t step,
                bool is_sql);
    void parameter(std::string_view name, std::string_view value);
    void tag(std::string_view name, std::string_view value);
    /// RUNNING, FINISHED, … or the number of it.
    void status(std::string_view status);
    void times(std::int64_t start_ms, std::int64_t end_ms);

    /// Files of the run in `folder`, where that is on this machine.
    void artifacts(const std::string& folder);

    std::shared_ptr<model::GatheredContent> finish() &&;

  private:
    [[nodiscard]] std::string key_of(std::string_view name) const;

    std::shared_ptr<model::GatheredContent> content_;
    bool is_ours_ = false;  ///< our own sink wrote it: names are escaped
    std::vector<std::pair<std::string, std::string>> tags_, params_;
    std::map<std::string, model::GatheredSeries*, std::less<>> by_name_;
};

}  // namespace taffrail::sources::mlflow
