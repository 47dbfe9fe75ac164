#include <png.h>

#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/plot/detail/draw.hpp"
#include "vernier/run/plot/detail/raster.hpp"
#include "vernier/run/plot/plot.hpp"

namespace vernier::plot {

namespace {

constexpr double most_pixels = 64e6;

[[noreturn]] void refuse(const std::string& why) {
  throw ConfigurationError("V7120", "cannot draw the picture: " + why);
}

void append(png_structp png, png_bytep data, std::size_t size) {
  auto& out = *static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
  const auto* from = reinterpret_cast<const std::byte*>(data);
  out.insert(out.end(), from, from + size);
}

std::vector<std::byte> encoded(const Raster& r, double scale) {
  std::vector<std::byte> out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  if (info == nullptr || setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_write_struct(&png, &info);
    refuse("libpng failed");
  }
  png_set_write_fn(png, &out, append, nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(r.width()), static_cast<png_uint_32>(r.height()),
               8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  // 96 px per inch
  const auto density = static_cast<png_uint_32>(std::lround(scale * 96.0 / 0.0254));
  png_set_pHYs(png, info, density, density, PNG_RESOLUTION_METER);
  png_set_compression_level(png, 6);
  png_write_info(png, info);
  for (int y = 0; y < r.height(); ++y) {
    png_write_row(png, &r.pixels()[std::size_t(y) * r.width() * 3]);
  }
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return out;
}

}  // namespace

std::vector<std::byte> to_png(const Plot& p, double scale) {
  if (!(scale > 0.0)) refuse("its scale must be positive");
  const Raster measure(1, 1, 1.0);
  const Size size = size_of(p, measure);
  if (size.width * scale * size.height * scale > most_pixels) refuse("it would be too large");
  Raster raster(size.width, size.height, scale);
  draw(p, raster);
  return encoded(raster, scale);
}

}  // namespace vernier::plot
