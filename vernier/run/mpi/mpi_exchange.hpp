#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "vernier/run/exchange/framed_exchange.hpp"

namespace vernier::exchange {

/// Over MPI, for clusters with fast fabrics: every node is a rank of the job. Built where MPI is
/// found.
///
/// MPI ends the whole job when a rank is lost: nothing survives, and the run starts again from a
/// checkpoint on disk. MPI may allocate while sending and receiving, and a wait keeps its processor
/// busy for a millisecond, then looks every 50 us.
class MpiExchange final : public FramedExchange {
 public:
  /// Among the first `nodes` ranks of the job, which all call this together; between MPI_Init()
  /// and MPI_Finalize(). The thread that calls MPI_Init() uses it, unless MPI permits more.
  explicit MpiExchange(std::uint32_t nodes);
  /// Waits until all other nodes have left or leave.
  ~MpiExchange() override;

 private:
  struct Links;

  Moved take(std::uint32_t peer, std::span<std::byte> to) noexcept override;
  Moved give(std::uint32_t peer, Bytes first, Bytes second) noexcept override;
  bool gathers(std::uint32_t) const noexcept override { return true; }
  void wait(const Waiting&) noexcept override;
  void wake() noexcept override {}  // no wait is longer than 50 us without a look
  void hang_up(std::uint32_t) noexcept override {}
  bool ready(const Waiting&) noexcept;

  std::unique_ptr<Links> links_;
};

}  // namespace vernier::exchange
