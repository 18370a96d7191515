// The points of a key in a log that is not in memory, found from the end of the log: who wants the
// last ones does not wait for the others.
#pragma once

#include "model/attempts.h"
#include "model/row_source.h"
#include "store/log_backwards.h"
#include "store/row_set.h"
#include "store/run_data.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace taffrail::store {

/// What the log holds when it is begun; files stay open, so that it may be sealed and go.
class LogEndRows final : public model::RowSource {
  public:
    /// How far each file of a writer is sealed, in bytes: those rows are not looked at.
    using Covered = std::map<std::uint32_t, std::uint64_t>;

    /// Null where a log cannot be begun at its end and has to be walked from its beginning.
    /// `unread` is the same writer without what is sealed: read only if damage is met.
    static Result<std::unique_ptr<LogEndRows>> begin(const std::string& run_folder,
                                                     std::uint64_t writer, std::string key,
                                                     const Covered& covered,
                                                     std::unique_ptr<WriterData> unread);

    /// From the smallest to the largest step the writer logged of the key, sealed points too;
    /// nothing when it has none.
    [[nodiscard]] std::optional<model::AttemptSteps> steps() const;

    [[nodiscard]] std::uint64_t rows() const override { return 1; }

    void read(std::uint64_t, std::uint64_t, model::ChunkBuilder&, std::vector<Damage>&) override {}

    [[nodiscard]] bool is_rising(Axis) const override { return false; }

    [[nodiscard]] std::optional<std::pair<model::LogPlace, model::LogPlace>> ends() const override;

    [[nodiscard]] bool is_found_from_end() const override { return true; }

    bool read_before(std::uint64_t count, model::ChunkBuilder& to,
                     std::vector<Damage>& damage) override;

  private:
    struct OpenLog {
        std::string url;
        LogBackwards backwards;
    };

    LogEndRows(const std::string& run_folder, std::uint64_t writer, std::string key,
               std::unique_ptr<WriterData> unread)
        : folder_(run_folder),
          key_(std::move(key)),
          writer_(run_folder, writer),
          unread_(std::move(unread)) {}

    /// False where the beginning of a file is no frame.
    bool open_files(const Covered& covered);
    /// The rows of a batch that no later frame had.
    void take(const tlog::Batch& batch);
    void take_rows(const tlog::Batch& batch);
    void add(const tlog::Axes& axes, std::size_t row, double value);
    [[nodiscard]] bool is_wanted(std::uint32_t id) const;
    /// Takes in the window before the ones so far.
    void walk(std::vector<Damage>& damage);
    /// Once the beginning is reached. Where not every byte was understood the log is walked once
    /// more, forwards, which finds what can be found and states the rest exactly.
    void state_damage(std::vector<Damage>& damage);

    const std::string folder_;
    const std::string key_;
    WriterData writer_;
    std::unique_ptr<WriterData> unread_;
    std::vector<OpenLog> files_;  ///< oldest first; the last one is walked
    std::vector<std::string> walked_;
    std::vector<Point> pending_;  ///< in log order, given from the end on
    std::vector<tlog::Gap> gaps_;
    RowSet seen_;
    std::uint64_t first_seq_ = 0, end_seq_ = 0;
    bool whole_ = true, done_ = false;
};

}  // namespace taffrail::store
