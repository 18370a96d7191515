// Files of our own profiles. The bytes are taken as a file, and as contents of frames whose
// checksums fit: chance alone would never get past those.
#include "profile/formats/tprof/frames.h"

#include <cstdlib>

namespace {

void read(taffrail::ByteSpan bytes) {
    taffrail::profile::Profile profile;
    if (!taffrail::profile::read_tprof(bytes, profile).ok()) {
        return;
    }
    // Nothing in a file stands for more than its bytes.
    if (profile.spans.size() + profile.instants.size() + profile.samples.size() > bytes.size()) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace taffrail;
    const ByteSpan bytes(reinterpret_cast<const std::byte*>(data), size);
    read(bytes);
    // u8 type, u8 length, so many bytes; again and again.
    Bytes file;
    ByteCursor cursor(bytes);
    while (cursor.remaining() > 2) {
        const auto type = static_cast<profile::tprof::FrameType>(cursor.read<std::uint8_t>() % 10);
        const auto length = cursor.read<std::uint8_t>();
        const ByteSpan payload = cursor.take(std::min<std::uint64_t>(length, cursor.remaining()));
        append(file, ByteSpan(profile::tprof::frame(type, payload)));
    }
    read(file);
    return 0;
}
