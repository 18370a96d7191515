#include <taffrail/routine.h>

#include "codec/tensor.h"

namespace taffrail {
namespace {

// A view that cannot be read is kept as it is: the routine that takes it says what is wrong.
std::shared_ptr<const void> own(TensorView& view) {
    if (!check_tensor(view, "tensor").ok()) {
        return nullptr;
    }
    auto bytes = std::make_shared<Bytes>(gather(view));
    view.data = bytes->data();
    view.strides = {};
    return bytes;
}

struct OwnedMesh {
    std::vector<float> vertices, normals;
    std::vector<std::uint32_t> faces;
    std::vector<std::uint8_t> colors;
    std::string config_json;
};

std::shared_ptr<const void> own(MeshView& view) {
    auto copy = std::make_shared<OwnedMesh>();
    copy->vertices.assign(view.vertices.begin(), view.vertices.end());
    copy->normals.assign(view.normals.begin(), view.normals.end());
    copy->faces.assign(view.faces.begin(), view.faces.end());
    copy->colors.assign(view.colors.begin(), view.colors.end());
    copy->config_json = view.config_json;
    view = {copy->vertices, copy->faces, copy->colors, copy->normals, copy->config_json};
    return copy;
}

}  // namespace

void Datum::copy_what_is_viewed() {
    if (auto* tensor = std::get_if<TensorView>(this)) {
        owner_ = own(*tensor);
    } else if (auto* image = std::get_if<ImageView>(this)) {
        owner_ = own(image->pixels);
    } else if (auto* audio = std::get_if<AudioView>(this)) {
        owner_ = own(audio->samples);
    } else if (auto* video = std::get_if<VideoView>(this)) {
        owner_ = own(video->frames);
    } else if (auto* mesh = std::get_if<MeshView>(this)) {
        owner_ = own(*mesh);
    }
}

}  // namespace taffrail
