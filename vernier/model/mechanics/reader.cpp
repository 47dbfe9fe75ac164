#include "vernier/model/mechanics/reader.hpp"

namespace vernier::embedded {
std::string_view mechanics(std::string_view file) noexcept;
}

namespace vernier::mechanics {

document::Grammar grammar() {
  return {"multibody", "multibody.dtd", embedded::mechanics("formats/multibody/multibody.dtd")};
}

}  // namespace vernier::mechanics
