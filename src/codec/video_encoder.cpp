#include "codec/video_encoder.h"

#include "base/module_file.h"
#include "codec/video_module.h"

namespace taffrail {
namespace {

struct Module {
    const TaffrailVideoModule* functions = nullptr;
    std::string problem;
};

Module load_module() {
    Module module;
    const ModuleFile file =
        load_module_file("TAFFRAIL_VIDEO_MODULE", kVideoModuleFile, kVideoModuleEntry);
    if (file.entry == nullptr) {
        module.problem =
            file.problem.empty()
                ? "no video module here, so videos are kept as frames (it is built where FFmpeg's "
                  "development packages are; TAFFRAIL_VIDEO_MODULE names one elsewhere)"
                : "the video module cannot be loaded: " + file.problem;
        return module;
    }
    const auto entry = reinterpret_cast<const TaffrailVideoModule* (*)()>(file.entry);
    const TaffrailVideoModule* functions = entry();
    if (functions == nullptr || functions->abi_version != kVideoModuleAbi) {
        module.problem = "the video module found belongs to another version of Taffrail";
    } else {
        module.functions = functions;
    }
    return module;
}

const Module& loaded_module() {
    static const Module module = load_module();
    return module;
}

}  // namespace

std::string describe_video_module() {
    const Module& module = loaded_module();
    return module.functions != nullptr ? module.functions->describe() : module.problem;
}

Result<EncodedVideo> encode_video(ByteSpan frames, const Video& video, std::string_view format) {
    const Module& module = loaded_module();
    if (module.functions == nullptr) {
        return Error{ErrorCode::Unsupported, module.problem};
    }
    TaffrailVideoJob job{};
    job.frames = reinterpret_cast<const unsigned char*>(frames.data());
    job.count = video.frames;
    job.width = video.width;
    job.height = video.height;
    job.channels = video.channels;
    job.frames_per_second = video.frames_per_second;
    const std::string wanted(format);
    job.format = wanted.c_str();
    if (video.frames <= 0 || video.width <= 0 || video.height <= 0 ||
        frames.size() !=
            static_cast<std::size_t>(video.frames * video.width * video.height * video.channels)) {
        return Error{ErrorCode::InvalidArgument,
                     "video frames do not have the size their shape says"};
    }
    if (module.functions->encode(&job) != 0) {
        Error error{ErrorCode::Unsupported, std::string("video encoder: ") + job.error};
        module.functions->release(&job);
        return error;
    }
    EncodedVideo encoded;
    encoded.format = job.made_format;
    const auto* from = reinterpret_cast<const std::byte*>(job.file);
    encoded.file.assign(from, from + job.file_size);
    module.functions->release(&job);
    return encoded;
}

Result<DecodedVideo> decode_video(ByteSpan file) {
    const Module& module = loaded_module();
    if (module.functions == nullptr) {
        return Error{ErrorCode::Unsupported, module.problem};
    }
    TaffrailVideoFile job{};
    job.file = reinterpret_cast<const unsigned char*>(file.data());
    job.file_size = file.size();
    job.max_bytes = std::size_t{512} << 20;
    if (module.functions->decode(&job) != 0) {
        return Error{ErrorCode::Unsupported, std::string("video decoder: ") + job.error};
    }
    DecodedVideo video{.count = job.count,
                       .width = job.width,
                       .height = job.height,
                       .frames_per_second = job.frames_per_second,
                       .frames = {}};
    const auto* from = reinterpret_cast<const std::byte*>(job.frames);
    video.frames.assign(from, from + static_cast<std::size_t>(job.count * job.width) *
                                         static_cast<std::size_t>(job.height) * 3);
    module.functions->release_frames(&job);
    return video;
}

}  // namespace taffrail
