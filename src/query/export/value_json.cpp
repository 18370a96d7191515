#include "query/export/value_json.h"

#include "query/value_json.h"

namespace taffrail::query {
namespace {

class ExportForm final : public ValueForm {
  public:
    ExportForm(JsonWriter& json, std::span<const MediaFile> files)
        : ValueForm(json), files_(files) {}

    void begin(std::string_view /*kind*/) override { json().begin_object(); }

    bool is_bare(std::string_view kind, std::string_view text) override {
        if (kind != "scalar") {
            json().value(text);
        }
        return true;
    }

    bool in_words(std::string_view /*kind*/, const std::string& /*words*/) override {
        return false;
    }

    /// file, preview, sha256 and size; null when there is none.
    void blob(std::string_view /*name*/, const Blob& blob, bool may_lack) override {
        const bool lacks = may_lack && blob.ref.size == 0 && blob.bytes == nullptr;
        write_file(lacks ? nullptr : next_file());
    }

    void blobs(std::string_view name, const std::vector<Blob>& blobs) override {
        const std::size_t first = next_;
        write_file(next_file());
        if (blobs.size() > 1) {
            next_ = first;
            json().key(name).begin_array();
            for (std::size_t i = 0; i < blobs.size(); ++i) {
                json().begin_object();
                write_file(next_file());
                json().end_object();
            }
            json().end_array();
        }
    }

    void shape(std::initializer_list<Extent> extents) override {
        json().key("shape").begin_array();
        for (const auto& [name, extent] : extents) {
            json().value(extent);
        }
        json().end_array();
    }

    void cell(const Cell& cell) override { json().value(cell); }

    void cells(const Hparams& cells) override {
        json().begin_object();
        for (const auto& [name, cell] : cells) {
            json().member(name, cell);
        }
        json().end_object();
    }

    bool is_absent(std::string_view name) override {
        json().key(name).null();
        return true;
    }

    void text_if_any(std::string_view name, const std::string& text) override {
        json().key(name);
        text.empty() ? json().null() : json().value(text);
    }

  private:
    const MediaFile* next_file() { return next_ < files_.size() ? &files_[next_++] : nullptr; }

    void write_file(const MediaFile* media) {
        if (media == nullptr) {
            json().key("file").null().key("sha256").null();
            return;
        }
        json().key("file");
        media->file.empty() ? json().null() : json().value(media->file);
        if (!media->preview.empty()) {
            json().member("preview", media->preview);
        }
        json().member("sha256", media->sha256).member("size", media->size);
    }

    std::span<const MediaFile> files_;
    std::size_t next_ = 0;
};

}  // namespace

void write_value(JsonWriter& json, const Value& value, std::span<const MediaFile> files) {
    ExportForm form(json, files);
    write_value(form, value);
}

}  // namespace taffrail::query
