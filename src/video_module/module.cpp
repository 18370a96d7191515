// The entry point of the run-time video module: libtaffrail-video.so.
//
// It is a library of its own because FFmpeg brings 136 others and 50 ms of start-up, and because
// distributions build it under the GPL: a program that never logs frames never loads it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include <libavutil/avutil.h>
#include <libavutil/log.h>
}

#include "video_module/ffmpeg_decoder.h"
#include "video_module/ffmpeg_encoder.h"

namespace taffrail::video_module {
namespace {

int encode_job(TaffrailVideoJob* job) {
    av_log_set_level(AV_LOG_QUIET);
    const std::string wanted = job->format != nullptr ? job->format : "";
    std::string error = "no encoder for '" + wanted + "' in this FFmpeg";
    for (const EncoderChoice& choice : available_encoders()) {
        if (!wanted.empty() && wanted != choice.format) {
            continue;
        }
        std::vector<unsigned char> file;
        if (encode(*job, choice, file, error)) {
            job->file = static_cast<unsigned char*>(std::malloc(file.size()));
            if (job->file == nullptr) {
                error = "out of memory";
                break;
            }
            std::memcpy(job->file, file.data(), file.size());
            job->file_size = file.size();
            std::snprintf(job->made_format, sizeof job->made_format, "%s", choice.format);
            return 0;
        }
    }
    std::snprintf(job->error, sizeof job->error, "%s", error.c_str());
    return 1;
}

void release_job(TaffrailVideoJob* job) {
    std::free(job->file);
    job->file = nullptr;
}

int decode_job(TaffrailVideoFile* job) {
    av_log_set_level(AV_LOG_QUIET);
    std::vector<unsigned char> frames;
    std::string error;
    if (decode(*job, frames, error)) {
        job->frames = static_cast<unsigned char*>(std::malloc(frames.size()));
        if (job->frames != nullptr) {
            std::memcpy(job->frames, frames.data(), frames.size());
            return 0;
        }
        error = "out of memory";
    }
    std::snprintf(job->error, sizeof job->error, "%s", error.c_str());
    return 1;
}

void release_frames(TaffrailVideoFile* job) {
    std::free(job->frames);
    job->frames = nullptr;
}

const char* describe() {
    static const std::string text = [] {
        std::string names;
        for (const EncoderChoice& choice : available_encoders()) {
            names += names.empty() ? "" : ", ";
            names += choice.encoder;
        }
        return std::string("FFmpeg ") + av_version_info() + " (" +
               (names.empty() ? "no encoder" : names) + ")";
    }();
    return text.c_str();
}

}  // namespace
}  // namespace taffrail::video_module

extern "C" __attribute__((visibility("default"))) const taffrail::TaffrailVideoModule*
taffrail_video_module() {
    static const taffrail::TaffrailVideoModule module = {
        taffrail::kVideoModuleAbi,           taffrail::video_module::encode_job,
        taffrail::video_module::release_job, taffrail::video_module::describe,
        taffrail::video_module::decode_job,  taffrail::video_module::release_frames};
    return &module;
}
