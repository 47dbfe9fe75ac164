#include "vernier/gateway/federation/failure.hpp"

namespace vernier::federation {

std::string_view name_of(Failure f) noexcept {
  switch (f) {
#define VERNIER_CASE(name) \
  case Failure::name:      \
    return #name;
    VERNIER_FEDERATION_FAILURES(VERNIER_CASE)
#undef VERNIER_CASE
    case Failure::none:
      break;
  }
  return "none";
}

}  // namespace vernier::federation
