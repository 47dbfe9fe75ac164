#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vernier/base/result.hpp"
#include "vernier/run/exchange/framed_exchange.hpp"
#include "vernier/run/exchange/shared_memory.hpp"

namespace vernier::exchange {

/// Over shared memory, between processes of one machine or threads of one process. Frames that are
/// longer than a ring pass in pieces. A node that is not there yet is waited for; one whose process
/// has ended is noticed within about a tenth of a second.
class SharedExchange final : public FramedExchange {
 public:
  /// `memory`: of made_memory() or opened_memory(); may be closed afterwards. Else why not.
  static Result<std::unique_ptr<SharedExchange>, std::string> of(std::uint32_t self,
                                                                 const Descriptor& memory);
  ~SharedExchange() override;

 private:
  explicit SharedExchange(std::uint32_t self, SharedMemory);
  Moved take(std::uint32_t peer, std::span<std::byte> to) noexcept override;
  Moved give(std::uint32_t peer, Bytes first, Bytes second) noexcept override;
  bool gathers(std::uint32_t) const noexcept override { return true; }
  void wait(const Waiting&) noexcept override;
  void wake() noexcept override { ring_bell(self()); }
  void hang_up(std::uint32_t peer) noexcept override { links_[peer].died = true; }

  /// What only this node writes; nothing of it is read from the memory again.
  struct Link {
    std::uint64_t taken = 0, written = 0;
    bool died = false;
  };

  const char* gone(std::uint32_t peer) const noexcept;
  void ring_bell(std::uint32_t node) const noexcept;
  bool ready(const Waiting&) noexcept;
  void sleep(const Waiting&) noexcept;
  void look_for_the_dead() noexcept;

  SharedMemory memory_;
  std::vector<Link> links_;
};

}  // namespace vernier::exchange
