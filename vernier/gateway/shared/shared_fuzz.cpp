#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/shared/segment.hpp"

// Arbitrary memory under the name is used, created anew or refused with a message; nothing else
// happens.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  shared::Settings left;
  left.name = "fuzz-" + std::to_string(getpid());
  left.send = 2;
  left.receive = 1;
  shared::Settings right = left;
  right.side = shared::Side::right;
  right.send = 1;
  right.receive = 2;
  const std::string path = "/vernier-" + left.name;
  shm_unlink(path.c_str());
  const int fd = shm_open(path.c_str(), O_RDWR | O_CREAT, 0600);
  if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size)) std::abort();
  close(fd);
  try {
    shared::Segment a(left), b(right);
    const std::vector<double> out{1.0, 2.0}, back{3.0};
    for (int k = 0; k < 4; ++k) {
      a.write(out, k, k);
      b.write(back, k, k);
      if (b.read().values.size() != 2 || a.read().values.size() != 1) std::abort();
    }
    static_cast<void>(a.alive());
  } catch (const ConfigurationError&) {
  }
  shm_unlink(path.c_str());
  return 0;
}
