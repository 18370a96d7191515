// Records for sink tests.
#pragma once

#include <taffrail/sink.h>

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace taffrail::test {

/// Collects records the way a runner hands them over; each row() is one log call.
class Records {
  public:
    explicit Records(std::uint64_t writer = 0xABCD) : writer_(writer) {}

    Records& row(Step step, std::vector<std::pair<std::string, double>> values) {
        ++seq_;
        for (auto& [key, value] : values) {
            Record record = base(std::move(key), Kind::Scalar, step);
            record.scalar = value;
            records_.push_back(record);
        }
        return *this;
    }

    Records& value(std::string key, Step step, Value value) {
        ++seq_;
        values_.push_back(std::move(value));
        Record record = base(std::move(key), kind_of(values_.back()), step);
        record.value = &values_.back();
        records_.push_back(record);
        return *this;
    }

    [[nodiscard]] std::span<const Record> all() const { return records_; }

    [[nodiscard]] std::span<const Record> from(std::size_t first) const {
        return all().subspan(first);
    }

  private:
    Record base(std::string key, Kind kind, Step step) {
        keys_.push_back(std::move(key));
        Record record;
        record.key = keys_.back();
        record.kind = kind;
        record.step = step;
        record.writer = writer_;
        record.seq = seq_;
        return record;
    }

    std::uint64_t writer_;
    std::deque<std::string> keys_;
    std::deque<Value> values_;
    std::vector<Record> records_;
    std::uint64_t seq_ = 0;
};

}  // namespace taffrail::test
