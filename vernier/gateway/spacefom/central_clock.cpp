#include "vernier/gateway/spacefom/central_clock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <memory>
#include <system_error>

#include "vernier/base/diagnostic.hpp"

namespace vernier::spacefom {
namespace {

std::int64_t reading(clockid_t id) noexcept {
  timespec t{};
  if (clock_gettime(id, &t) != 0) return -1;
  return t.tv_sec * std::int64_t{1'000'000'000} + t.tv_nsec;
}

}  // namespace

bool names_central_clock(const std::string& name) noexcept {
  return name == "system" || (name.starts_with("/dev/") && name.size() > 5);
}

std::function<std::int64_t()> central_clock(const std::string& name) {
  if (name == "system") return [] { return reading(CLOCK_REALTIME); };
  const auto failed = [&](const std::string& why) {
    Diagnostics d;
    d.error("V5337", "the central clock " + name + " cannot be read: " + why, {})
        .notes.push_back(
            "ls -l /dev/ptp*   shows the clocks of this machine and who may read them");
    return ConfigurationError(d);
  };
  const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw failed(std::system_category().message(errno));
  const std::shared_ptr<const int> kept(new int(file), [](const int* f) {
    close(*f);
    delete f;
  });
  // the kernel's clock id of an open clock device: FD_TO_CLOCKID of linux/posix-timers.h
  const auto id = static_cast<clockid_t>((~static_cast<unsigned>(file) << 3) | 3U);
  if (reading(id) < 0) throw failed("it is not a clock");
  return [kept, id] { return reading(id); };  // std::function copies its closure: shared
}

}  // namespace vernier::spacefom
