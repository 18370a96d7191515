// `table`: tables as they are.
#include "base/try.h"
#include "codec/capture.h"
#include "routines/common/registry.h"
#include "routines/common/tracked.h"

namespace taffrail::routines {
namespace {

class TableRoutine : public WithoutStatistics {
  public:
    Result<void> log_iter(const DataMap& data, RoutineContext& context) override {
        return for_each_tracked(data, context, "table",
                                [&](const std::string& name, const Datum& datum) -> Result<void> {
                                    const auto* table = std::get_if<Table>(&datum);
                                    if (table == nullptr) {
                                        return wrong_datum(name, datum, "a table");
                                    }
                                    TAFFRAIL_ASSIGN(Value value, capture_table(*table));
                                    context.log_value(keys_.key(name, data.phase), std::move(value),
                                                      data.total_iters);
                                    return {};
                                });
    }

  private:
    SeriesKeys keys_{"Table"};
};

}  // namespace

void register_table() {
    registry().add({.key = "table",
                    .class_name = "TableLogger",
                    .summary = "tables",
                    .make = make_without_options<TableRoutine>("table")});
}

}  // namespace taffrail::routines
