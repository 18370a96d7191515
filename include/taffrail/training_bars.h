// The bars of a training: train, validation, sanity check, test and predict, with their metrics.
#pragma once

#include <taffrail/progress.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taffrail {

struct TrainingBarOptions {
    int refresh_rate = 1;  ///< 0 = no bars
    bool leave = false;    ///< keep the bar of every finished epoch
    /// Versions of the run's loggers, shown as `v_num`: joined by `_`, of long texts the last four
    /// characters.
    std::vector<std::string> versions = {};
    std::optional<std::int64_t> max_epochs = {};
    std::function<void(std::string_view bar, std::int64_t position)> on_publish = {};
};

/// One per training, called by the loop. Override get_metrics() to change what the training bar
/// shows.
class TrainingBars {
  public:
    explicit TrainingBars(TrainingBarOptions options = {});
    virtual ~TrainingBars();

    /// What stands on the training bar: the standard items and then what was logged for it; a
    /// logged name wins. Overriding it drops or adds items: call this one and change what it
    /// returns.
    virtual BarMetrics get_metrics(const BarMetrics& logged);

    void sanity_check_begins();
    void sanity_check_ends();
    /// `done` = batches of this epoch that an earlier process did.
    void train_epoch_begins(std::int64_t epoch, std::optional<std::int64_t> batches,
                            std::int64_t done = 0);
    /// `position` counts from 1.
    void train_batch_ends(std::int64_t position, const BarMetrics& logged);
    void train_epoch_ends(const BarMetrics& logged);
    void train_ends();
    /// One bar per loader, below the training bar; it vanishes when validation ends.
    void validation_begins(std::int64_t loader, std::optional<std::int64_t> batches);
    void validation_batch_ends(std::int64_t position);
    void validation_ends(const BarMetrics& logged);
    /// Test and predict bars stay.
    void test_begins(std::int64_t loader, std::optional<std::int64_t> batches);
    void test_batch_ends(std::int64_t position);
    void test_ends();
    void predict_begins(std::int64_t loader, std::optional<std::int64_t> batches);
    void predict_batch_ends(std::int64_t position);
    void predict_ends();

  private:
    Progress make(std::string name, std::string description, std::optional<std::int64_t> total,
                  std::int64_t initial, bool leave);

    TrainingBarOptions options_;
    std::optional<Progress> train_, validation_, test_;
    bool sanity_ = false;
};

}  // namespace taffrail
