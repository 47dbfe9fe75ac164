#include <RTI/RTI1516.h>

#include "vernier/rti1516e/ambassador.hpp"

rti1516e::RTIambassadorFactory::RTIambassadorFactory() = default;
rti1516e::RTIambassadorFactory::~RTIambassadorFactory() noexcept = default;

std::unique_ptr<rti1516e::RTIambassador> rti1516e::RTIambassadorFactory::createRTIambassador() {
  return std::make_unique<vernier::hla::VernierAmbassador>(
      [](const vernier::federation::Designator& where, std::string& why) {
        return vernier::federation::connect(where, why);
      });
}
