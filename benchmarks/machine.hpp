#pragma once

#include <time.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace vernier::bench {

/// Processor time of this thread, or of another clock: other programs do not count.
inline double cpu_seconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Processor, load and compiler, for the header of a report.
inline std::string machine() {
  std::string line, processor = "unknown";
  for (std::ifstream info("/proc/cpuinfo"); std::getline(info, line);) {
    if (line.starts_with("model name")) {
      processor = line.substr(line.find(':') + 2);
      break;
    }
  }
  double load = 0.0;
  std::ifstream("/proc/loadavg") >> load;
  char text[32];
  std::snprintf(text, sizeof text, ", load %.1f", load);
  return processor + text + ", compiler " + __VERSION__;
}

}  // namespace vernier::bench
