// The built-in routines, and what they share.
#pragma once

#include <taffrail/routine.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace taffrail {

/// Keys of a routine's series, made once per (family, name, phase): `Metric-BatchWise/loss/train`.
class SeriesKeys {
  public:
    explicit SeriesKeys(std::string family) : family_(std::move(family)) {}

    const std::string& key(const std::string& name, Phase phase);

  private:
    std::string family_;
    std::map<std::pair<std::string, Phase>, std::string> keys_;
};

/// A routine that logs something when it changes and not per iteration: what it logs always reaches
/// the sink, whether or not the iteration that brought it is due.
class OnceRoutine : public Routine {};

/// Says once that a tracked name is not in the data.
void warn_absent(const std::string& name, const DataMap& data, std::string_view family);

/// Calls `take` for every tracked name with its datum. A name that is absent is warned about once;
/// `family` names the routine in that warning. The first failure is returned after all names had
/// their turn.
Result<void> for_each_tracked(
    const DataMap& data, const RoutineContext& context, std::string_view family,
    const std::function<Result<void>(const std::string& name, const Datum& datum)>& take);

/// "is a histogram; the image routine takes …": what a routine says about a datum it cannot use.
Error wrong_datum(const std::string& name, const Datum& datum, std::string_view wanted);

std::unique_ptr<Routine> make_metric_routine();
std::unique_ptr<Routine> make_histogram_routine();
std::unique_ptr<Routine> make_hparams_routine();
std::unique_ptr<Routine> make_image_routine();
std::unique_ptr<Routine> make_video_routine();
std::unique_ptr<Routine> make_mesh_routine();
std::unique_ptr<Routine> make_text_routine();
std::unique_ptr<Routine> make_audio_routine();
std::unique_ptr<Routine> make_table_routine();
std::unique_ptr<Routine> make_graph_routine();

}  // namespace taffrail
