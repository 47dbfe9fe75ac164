// Dates and frame names from anywhere: what is read is written, and reads as the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vernier/base/require.hpp"
#include "vernier/kernel/frames/dates.hpp"
#include "vernier/kernel/frames/names.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  using namespace vernier::frames;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto name = parsed_frame_name(text);
  if (!name) require(name.error().position <= size && !name.error().message.empty());
  const auto e = parsed_instant(text);
  if (!e) return 0;
  for (const Scale s : {Scale::tai, Scale::tt, Scale::utc, Scale::tcg, Scale::gps})
    require(instant(reading(*e, s), s) == *e);
  const std::string date = date_text(reading(*e, Scale::tai), 18) + " TAI";
  const auto again = parsed_instant(date);
  require(!again || *again == *e);  // years before 1600 and after 9999 are shown, but not read
  return 0;
}
