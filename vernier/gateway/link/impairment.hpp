#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vernier/base/result.hpp"
#include "vernier/gateway/link/relay.hpp"

namespace vernier::link {

/// How a network is impaired, as the user writes it: "delay 5ms jitter 1ms loss 1% stall 2s cut".
///
///   delay TIME, jitter TIME       of every piece, and its standard deviation
///   loss SHARE                    this share arrives a retransmission (200 ms) later
///   reorder [SHARE]               this share (10 %) is overtaken; reads end anywhere
///   bytes                         byte by byte
///   network NAME                  delays of lan, app, epos or wan
///   stall TIME [at TIME]          nothing passes for this time; at a third of the test
///   cut [at TIME]                 the connections are closed; at two thirds
struct ImpairmentPlan {
  struct Stall {
    double length = 0.0;       // s
    std::optional<double> at;  // s
  };
  struct Cut {
    std::optional<double> at;  // s
  };
  Impairment steady;
  std::optional<Stall> stall;
  std::optional<Cut> cut;
};
/// The error names the word that is not understood and the alternatives.
Result<ImpairmentPlan, std::string> parsed_impairment(std::string_view);

/// Starts and ends stalls and cuts at their times, in seconds since the test began.
class ImpairmentSchedule {
 public:
  /// `length` of the test, s.
  ImpairmentSchedule(const ImpairmentPlan&, double length) noexcept;
  template <class Network>
  void follow(double now, Network& network) {
    const bool stalls = stall_at_ && now >= *stall_at_ && now < *stall_at_ + plan_.stall->length;
    if (stalls != stalled_) {
      Impairment i = plan_.steady;
      i.stalled = stalled_ = stalls;
      network.impair(i);
    }
    if (cut_at_ && now >= *cut_at_) {
      network.cut();
      cut_at_.reset();
    }
  }

 private:
  ImpairmentPlan plan_;
  std::optional<double> stall_at_, cut_at_;
  bool stalled_ = false;
};

}  // namespace vernier::link
