// Arbitrary orders.csv: orders, or an error with a line.
#include <cstdint>
#include <sstream>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/session/order_log.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  try {
    static_cast<void>(vernier::session::parse_orders(in, "orders.csv"));
  } catch (const vernier::ConfigurationError&) {
  }
  return 0;
}
