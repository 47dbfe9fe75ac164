// Modal files from anywhere.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vernier/base/require.hpp"
#include "vernier/model/multibody_tree/modal_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  Diagnostics problems;
  const auto file = multibody_tree::parse_modal_file(
      std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.modal", problems);
  require((problems.errors() == 0) == file.has_value());
  for (const Diagnostic& d : problems.list()) require(d.place.line >= 1 && d.place.column >= 1);
  if (!file) return 0;
  require(file->by_id.size() == file->points.size());
  for (const multibody::Lump& l : file->points) {
    require(l.shape.cols() == static_cast<Eigen::Index>(file->modes()) && l.shape.allFinite());
    require(std::isfinite(l.mass) && l.p.allFinite());
  }
  return 0;
}
