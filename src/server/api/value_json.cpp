#include "server/api/value_json.h"

#include "base/sha256.h"
#include "query/value_json.h"
#include "server/api/api.h"

namespace taffrail::server {
namespace {

class ApiForm final : public query::ValueForm {
  public:
    using ValueForm::ValueForm;

    void begin(std::string_view kind) override { json().begin_object().member("kind", kind); }

    bool is_bare(std::string_view /*kind*/, std::string_view /*text*/) override { return false; }

    bool in_words(std::string_view kind, const std::string& words) override {
        begin(kind);
        json().member("text", words);
        end();
        return true;
    }

    /// Without a name its members stand in the object that is open.
    void blob(std::string_view name, const Blob& blob, bool may_lack) override {
        if (may_lack && blob.ref.size == 0) {
            return;
        }
        if (!name.empty()) {
            json().key(name).begin_object();
        }
        json().member("sha", to_hex(blob.ref.sha256)).member("size", blob.ref.size);
        if (!name.empty()) {
            json().end_object();
        }
    }

    void blobs(std::string_view name, const std::vector<Blob>& blobs) override {
        json().key(name).begin_array();
        for (const Blob& each : blobs) {
            json().begin_object();
            blob("", each, false);
            json().end_object();
        }
        json().end_array();
    }

    void shape(std::initializer_list<Extent> extents) override {
        for (const auto& [name, extent] : extents) {
            if (!name.empty()) {
                json().member(name, extent);
            }
        }
    }

    void cell(const Cell& cell) override { write_cell(json(), cell); }

    void cells(const Hparams& cells) override { write_named_cells(json(), cells); }

    bool is_absent(std::string_view /*name*/) override { return false; }

    void text_if_any(std::string_view name, const std::string& text) override {
        json().member(name, text);
    }

    [[nodiscard]] std::string_view name_of(std::string_view member) const override {
        return member == "nan_count"                 ? "nan"
               : member == "positive_infinity_count" ? "positive_infinity"
               : member == "negative_infinity_count" ? "negative_infinity"
               : member == "output_shape"            ? "shape"
                                                     : member;
    }
};

}  // namespace

void write_value(JsonWriter& json, const Value& value) {
    ApiForm form(json);
    query::write_value(form, value);
}

}  // namespace taffrail::server
