#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "vernier/base/mailbox.hpp"
#include "vernier/gateway/link/link.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::link {

/// Headers of the messages in the mailboxes; the vector follows.
struct OutgoingHead {
  std::uint64_t number;
  std::int64_t acquired, echo;
};
struct IncomingHead {
  std::uint64_t number;
  std::int64_t step, acquired, sent, received, answers;
  std::int64_t peer_period;  // ns
  std::uint32_t session, flags;
};
struct StepNote {
  std::int64_t number, planned;
  std::uint64_t overran;
};
struct OutputNote {
  std::uint64_t number;
  std::uint64_t passed;  // earlier vectors taken in the same step
  std::int64_t acquired, answers, at;
};

/// Everything shared between the step side and the communication thread.
struct Link::Shared {
  explicit Shared(const Settings& s)
      : send_bytes(s.send * size_of(s.send_element)),
        receive_bytes(s.receive * size_of(s.receive_element)),
        outgoing(sizeof(OutgoingHead) + send_bytes),
        incoming(sizeof(IncomingHead) + (s.queue == 0 ? receive_bytes : 0)),
        steps(sizeof(StepNote)),
        queue(sizeof(IncomingHead) + (s.queue == 0 ? 0 : receive_bytes), s.queue + 1),
        outputs(sizeof(OutputNote), 64),
        quality(sizeof(Quality)) {}

  const std::size_t send_bytes, receive_bytes;
  std::atomic<std::uint8_t> state{static_cast<std::uint8_t>(LinkState::closed)};
  OwnedLatest outgoing, incoming, steps;
  OwnedQueue queue;    // replaces `incoming` when the settings ask for a queue
  OwnedQueue outputs;  // output times; when it is full, some delays are not measured
  OwnedLatest quality;
  net::Wake wake;

  mutable std::mutex status_guard;  // never taken by the step side
  Status status;
};

}  // namespace vernier::link
