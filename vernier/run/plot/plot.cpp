#include "vernier/run/plot/plot.hpp"

#include <cerrno>
#include <fstream>
#include <span>
#include <system_error>

#include "vernier/base/diagnostic.hpp"

namespace vernier::plot {

void write(const Plot& p, const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending != ".svg" && ending != ".png") {
    throw ConfigurationError(
        "V7120", "cannot draw " + file.string() + ": the name of a picture ends with .svg or .png");
  }
  std::ofstream out(file, std::ios::binary);
  if (ending == ".svg") {
    out << to_svg(p);
  } else {
    const std::vector<std::byte> png = to_png(p);
    out.write(reinterpret_cast<const char*>(png.data()), static_cast<std::streamsize>(png.size()));
  }
  out.close();
  if (!out) {
    throw ConfigurationError(
        "V7120", "cannot write " + file.string() + ": " + std::generic_category().message(errno));
  }
}

}  // namespace vernier::plot
