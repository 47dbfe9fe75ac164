#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "vernier/base/require.hpp"

namespace vernier {

/// Composes the name of a port without allocating, for bind().
class PortName {
 public:
  PortName(std::initializer_list<std::string_view> pieces) noexcept {
    for (const std::string_view p : pieces) {
      require(size_ + p.size() <= sizeof text_);
      std::copy(p.begin(), p.end(), text_ + size_);
      size_ += p.size();
    }
  }
  operator std::string_view() const noexcept { return {text_, size_}; }

 private:
  char text_[256];
  std::size_t size_ = 0;
};

}  // namespace vernier
