#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "vernier/gateway/lines/detail/memory.hpp"
#include "vernier/gateway/lines/line_server.hpp"
#include "vernier/gateway/lines/protocol.hpp"
#include "vernier/net/line_stream.hpp"

namespace vernier::lines {

/// One session of a LineServer. Between INIT and BYE nothing allocates.
class LineServer::Session {
 public:
  /// `listener`: where other clients wait, or -1.
  Session(Component&, Memory&, const channel::Channels&, const ServerSettings&, net::LineStream,
          int listener);

  Ending run();
  std::uint64_t steps() const noexcept { return steps_; }
  Time now() const noexcept { return now_; }

 private:
  struct Save {
    std::uint64_t id = 0;
    std::uint64_t order = 0;  // 0: empty
    Time now{};
    std::uint32_t microstep = 0;
    std::vector<double> inputs;
    std::vector<std::int64_t> events_in, told;
    std::vector<std::byte> state;
  };

  /// The next request; nothing: the session ends with `ending`.
  std::optional<std::string_view> next_line(Ending& ending);
  void answer(const Line&);
  void init(std::string_view rest);
  void step(std::string_view rest) noexcept;
  void ask_outputs(std::string_view rest) noexcept;
  void react(std::string_view rest) noexcept;
  void take_event(std::string_view rest) noexcept;
  void save(std::string_view rest) noexcept;
  void restore(std::string_view rest) noexcept;

  bool take_inputs(std::string_view rest, Time& t) noexcept;
  bool settle() noexcept;
  bool component_failed(Outcome) noexcept;
  void error(const char* text) noexcept;
  void done(Verb) noexcept;
  bool send() noexcept;

  Component& component_;
  Memory& memory_;
  const channel::Channels& channels_;
  const ServerSettings& settings_;
  net::LineStream connection_;
  int listener_;
  Composer composer_;

  bool greeted_ = false, started_ = false, early_ = false, silent_ = false;
  bool differs_ = false;              // the channels that the peer offered last
  std::optional<net::Trouble> gone_;  // the peer left, or stop(), during a step
  Time now_{};
  std::uint32_t microstep_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<double> inputs_, outputs_;
  std::vector<std::int64_t> told_;  // counts of emitted events already sent
  std::vector<Save> saves_;
  std::uint64_t saved_ = 0;
};

}  // namespace vernier::lines
