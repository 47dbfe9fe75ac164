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
  } catch (const detail::Over&) {
    return false;
  } catch (const rti1516e::NotConnected&) {
    fail_lost("");
  } catch (const rti1516e::FederateNotExecutionMember&) {
    fail_expelled();
  } catch (const rti1516e::Exception& e) {
    throw ConfigurationError(
        "V5332", "the RTI refused what " + settings.name + " asked: " + narrow(e.what()), {},
        Category::peer);
  }
}

template <class Done, class What>
bool Federate::Work::wait_for(Done done, What what, std::chrono::milliseconds most) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::milliseconds nap{most.count() > 0 ? std::min<std::int64_t>(most.count(), 20)
                                                       : 20};
  const auto began = Clock::now();
  auto looked = began;
  bool told = false, late = false;
  while (true) {
    leave_if_over();
    if (!ending.unclear() && done()) return true;
    if (late) return false;
    if (auto event = next_event(nap)) handle(*event);
    const auto now = Clock::now();
    late = most.count() > 0 && now - began >= most;
    if (joined() && now - looked > std::chrono::milliseconds(500)) {
      looked = now;
      rti1516e::HLAinteger64Time ignored;
      static_cast<void>(rti().queryGALT(ignored));  // throws if the RTI has resigned us
      if (peers_.looking()) peers_.look_for_keeper(rti());
      miss_required();
    }
    if (!told && now - began > std::chrono::seconds(1)) {
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
    throw ConfigurationError(
        "V5324",
        settings.name + " waited " + std::to_string(most.count() / 1000) + " s for " + what(), {},
        Category::peer);
  }
}

}  // namespace vernier::spacefom
