// A logged value as JSON. The members of every kind stand here and nowhere else; what differs
// between an exported line (docs/formats/jsonl.md) and the API (docs/api) is a form: how blobs are
// named (files there, addresses here), whether a shape is a list or named numbers, whether small
// kinds are bare values or objects.
#pragma once

#include <taffrail/value.h>

#include "codec/json_writer.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffrail::query {

class ValueForm {
  public:
    using Extent = std::pair<std::string_view, std::int64_t>;

    explicit ValueForm(JsonWriter& json) : json_(json) {}

    virtual ~ValueForm() = default;

    /// Begins the object of a value.
    virtual void begin(std::string_view kind) = 0;

    void end() { json_.end_object(); }

    /// A kind that is one text. True when that is all there is to write.
    virtual bool is_bare(std::string_view kind, std::string_view text) = 0;
    /// A kind that is shown in words where nobody looks into it. True when they were written, as
    /// the whole value.
    virtual bool in_words(std::string_view kind, const std::string& words) = 0;
    /// One blob under a name; `may_lack` where not every value has one.
    virtual void blob(std::string_view name, const Blob& blob, bool may_lack = false) = 0;
    virtual void blobs(std::string_view name, const std::vector<Blob>& blobs) = 0;
    /// Extents that have members of their own, or are known otherwise (no name).
    virtual void shape(std::initializer_list<Extent> extents) = 0;
    virtual void cell(const Cell& cell) = 0;
    virtual void cells(const Hparams& cells) = 0;
    /// True when a member that has nothing in it was written as that.
    virtual bool is_absent(std::string_view name) = 0;
    /// A text that may be empty, which is none.
    virtual void text_if_any(std::string_view name, const std::string& text) = 0;

    /// The name of a member here.
    [[nodiscard]] virtual std::string_view name_of(std::string_view member) const { return member; }

    [[nodiscard]] JsonWriter& json() const noexcept { return json_; }

  private:
    JsonWriter& json_;
};

void write_value(ValueForm& form, const Value& value);

}  // namespace taffrail::query
