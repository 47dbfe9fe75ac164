// Arbitrary headers and rows of tables: no crash, and numbers are reproduced to the bit.
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "vernier/gateway/file/csv.hpp"

using namespace vernier;
using namespace vernier::file;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const char separator = ",;\t"[data[0] % 3];
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t first = text.find('\n');
  const auto columns = parsed_header(text.substr(0, first), separator);
  if (!columns) return 0;
  // every named column is requested
  std::vector<std::int32_t> slots;
  std::int32_t wanted = 0;
  for (const auto& c : *columns) slots.push_back(c.name.empty() ? -1 : wanted++);
  std::vector<double> values(static_cast<std::size_t>(wanted)), again(values.size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const RowReading reading = read_row(text.substr(0, end), separator, slots, values);
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    if (reading.flaw != RowFlaw::none) continue;
    for (const double x : values) {
      char out[64];
      const std::int32_t slot[] = {0};
      double y[1];
      const std::string_view number(out, write_real(out, x));
      if (read_row(number, separator, slot, y).flaw != RowFlaw::none) std::abort();
      if (std::bit_cast<std::uint64_t>(x) != std::bit_cast<std::uint64_t>(y[0])) std::abort();
      if (const auto t = to_time(x)) static_cast<void>(write_time(out, *t));
    }
  }
  return 0;
}
