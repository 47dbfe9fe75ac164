#include "vernier/rti1516e/raise.hpp"

#include <RTI/Exception.h>

#include "vernier/rti1516e/service.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {

void raise(federation::Failure failure, std::string_view text) {
  if (noted) *noted = {failure, std::string(text)};
  raise_answer(failure, text);
}

void raise_answer(federation::Failure failure, std::string_view text) {
  switch (failure) {
#define VERNIER_RAISE(name)       \
  case federation::Failure::name: \
    throw ::rti1516e::name(wide(text));
    VERNIER_FEDERATION_FAILURES(VERNIER_RAISE)
#undef VERNIER_RAISE
    case federation::Failure::none:
      break;
  }
  throw ::rti1516e::RTIinternalError(wide(text));
}

}  // namespace vernier::hla
