#include "vernier/gateway/connector/detail/parameters.hpp"

#include <cmath>

namespace vernier::connector {

ParameterSpec choice(std::string name, std::vector<std::string> choices, std::string initial,
                     std::string description) {
  return {.name = std::move(name),
          .kind = ParameterKind::choice,
          .initial = std::move(initial),
          .description = std::move(description),
          .choices = std::move(choices)};
}

ParameterSpec text(std::string name, std::optional<std::string> initial, std::string description,
                   ParameterKind kind) {
  return {.name = std::move(name),
          .kind = kind,
          .initial = std::move(initial),
          .description = std::move(description)};
}

ParameterSpec yes_or_no(std::string name, const char* initial, std::string description) {
  return {.name = std::move(name),
          .kind = ParameterKind::boolean,
          .initial = initial,
          .description = std::move(description)};
}

ParameterSpec span_of_time(std::string name, const char* initial, std::string description) {
  return {.name = std::move(name),
          .unit = "s",
          .initial = initial,
          .description = std::move(description)};
}

Meeting meeting(const Parameters& p) {
  const std::string &listen = p.text("listen"), &connect = p.text("connect");
  bool listens = connect.empty();
  if (!listen.empty() && !connect.empty()) {
    if (p.given("listen") == p.given("connect"))
      p.reject("listen", "give listen or connect, not both");
    listens = p.given("listen");
  }
  const char* name = listens ? "listen" : "connect";
  if (listen.empty() && connect.empty())
    p.reject("listen", "give listen or connect, an address like 127.0.0.1:4711");
  const auto address = net::parsed_address(p.text(name));
  if (!address) p.reject(name, "it must be an address like 127.0.0.1:4711");
  return {listens, *address};
}

std::chrono::milliseconds milliseconds(const Parameters& p, const char* name) {
  const double s = p.real(name);
  if (!(s >= 0.001 && s <= 1e6)) p.reject(name, "it must be from 1 ms to 1000000 s");
  return std::chrono::milliseconds(std::llround(s * 1000.0));
}

}  // namespace vernier::connector
