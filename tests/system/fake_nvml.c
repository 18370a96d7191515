/* A stand-in for libnvidia-ml.so.1 with two GPUs: one that reports everything, one that reports little. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int g_running = 0;
static int g_first, g_second;

int nvmlInit_v2(void) { g_running = 1; return 0; }
int nvmlShutdown(void) { g_running = 0; return 0; }
const char* nvmlErrorString(int code) { return code == 3 ? "Not Supported" : "Unknown Error"; }
int nvmlSystemGetDriverVersion(char* text, unsigned size) { snprintf(text, size, "999.42"); return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { *count = 2; return g_running ? 0 : 1; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    *device = index == 0 ? (void*)&g_first : (void*)&g_second;
    return 0;
}
int nvmlDeviceGetName(void* device, char* text, unsigned size) {
    snprintf(text, size, device == &g_first ? "Fake H200" : "Fake T4");
    return 0;
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) { (void)device; snprintf(text, size, "GPU-fake"); return 0; }
int nvmlDeviceGetUtilizationRates(void* device, unsigned* rates) {
    if (device != &g_first) return 3;
    rates[0] = 97, rates[1] = 31;
    return 0;
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* info) {
    info[0] = 1000, info[1] = 250, info[2] = 750;
    (void)device;
    return 0;
}
/* The newer form, for the first GPU only: what the driver keeps for itself stands apart. */
struct memory_2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};
int nvmlDeviceGetMemoryInfo_v2(void* device, struct memory_2* info) {
    if (info->version != (sizeof *info | 2u << 24)) return 25;
    if (device != &g_first) return 3;
    info->total = 1000, info->reserved = 150, info->free = 250, info->used = 600;
    return 0;
}
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts) { *milliwatts = 654321; return device == &g_first ? 0 : 3; }
int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* milliwatts) { (void)device; *milliwatts = 700000; return 0; }
int nvmlDeviceGetTemperature(void* device, int sensor, unsigned* celsius) { (void)device; *celsius = 66; return sensor == 0 ? 0 : 2; }
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) { (void)device; *mhz = type == 1 ? 1980 : 3201; return 0; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
    *reasons = device == &g_first ? 0x4 | 0x1 : 0x40;
    return 0;
}
int nvmlDeviceGetPcieThroughput(void* device, int counter, unsigned* kilobytes) { (void)device; *kilobytes = counter == 0 ? 10 : 20; return 0; }
int nvmlDeviceGetTotalEccErrors(void* device, int type, int counter, unsigned long long* errors) {
    (void)device, (void)type, (void)counter;
    *errors = 5;
    return 0;
}
