// What a library that the video module loads keeps to itself: libsrt, which comes with FFmpeg,
// allocates once when it is loaded and never gives that back.

// Seen by the sanitizer, which is another library.
extern "C" [[gnu::visibility("default")]] const char*
__lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier)

extern "C" const char* __lsan_default_suppressions() {  // NOLINT(bugprone-reserved-identifier)
    return "leak:libsrt\n";
}
