#pragma once

#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/spacefom/detail/work.hpp"

namespace vernier::spacefom {

template <class F>
bool Federate::Work::guarded(F f) {
  try {
    f();
    return true;
  } catch (const Over&) {
    return false;
  } catch (const rti1516e::NotConnected&) {
    throw ConfigurationError("V5328",
                             "the connection of " + settings.name + " to the RTI was lost");
  } catch (const rti1516e::FederateNotExecutionMember&) {
    throw ConfigurationError(
        "V5328", settings.name + " is no longer a member of the federation " + settings.federation);
  } catch (const rti1516e::Exception& e) {
    throw ConfigurationError(
        "V5332", "the RTI refused what " + settings.name + " asked: " + narrow(e.what()));
  }
}

template <class Done, class What>
bool Federate::Work::wait_for(Done done, What what, std::chrono::milliseconds most) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds nap{20};
  const auto began = Clock::now();
  auto looked = began;
  bool told = false;
  while (true) {
    leave_if_over();
    if (done()) return true;
    auto event = inbox.take(std::chrono::milliseconds(0));
    if (!event) {
      answer();
      if (evoked) {
        rti().evokeCallback(0.02);
        event = inbox.take(std::chrono::milliseconds(0));
      } else {
        event = inbox.take(nap);
      }
    }
    if (event) {
      handle(*event);
      continue;
    }
    const auto waited = Clock::now() - began;
    if (most.count() > 0 && waited > most) return false;
    if (joined_ && Clock::now() - looked > std::chrono::milliseconds(500)) {
      looked = Clock::now();
      rti1516e::HLAinteger64Time ignored;
      static_cast<void>(rti().queryGALT(ignored));  // throws when the RTI has resigned us
    }
    if (!told && waited > std::chrono::seconds(1)) {
      told = true;
      if (const std::string words = what(); !words.empty() && settings.notice)
        settings.notice(settings.name + " waits for " + words);
    }
  }
}

template <class Done, class What>
void Federate::Work::wait(Done done, What what, bool patient) {
  const auto most = patient ? settings.patience : std::chrono::milliseconds(0);
  if (!wait_for(done, what, most)) {
    throw ConfigurationError("V5324", settings.name + " waited " +
                                          std::to_string(most.count() / 1000) + " s for " + what());
  }
}

}  // namespace vernier::spacefom
