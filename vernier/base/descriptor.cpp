#include "vernier/base/descriptor.hpp"

#include <unistd.h>

#include <utility>

namespace vernier {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

int Descriptor::release() noexcept { return std::exchange(fd_, -1); }

void Descriptor::reset() noexcept {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

}  // namespace vernier
