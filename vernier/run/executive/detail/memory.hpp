#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/detail/delay_line.hpp"
#include "vernier/run/executive/detail/wiring.hpp"
#include "vernier/run/executive/observer.hpp"

namespace vernier::executive::detail {

/// The memory of all ports of a run, and the transfers along the wires.
///
/// An input covered by a single wire of gain 1 without delay aliases the output's memory
/// (zero-copy). Any other input has its own memory, filled just before it is needed. An overridden
/// port has a shadow, which the component writes (output) or reads (input) instead.
class Memory {
 public:
  /// Allocates everything and fills `views`: for each part its outputs, then its inputs.
  Memory(const composition::Plan&, std::vector<PortView>& views);

  /// Binds a part to its memory. Throws what its bind() throws; does not allocate itself.
  void bind(std::size_t part);

  /// The transfers required before output() of a part, and before its react() and advance().
  std::span<const Transfer> before_output(std::size_t part) const noexcept;
  std::span<const Transfer> before_react(std::size_t part) const noexcept;
  /// Parts for which before_react() is not empty.
  std::span<const std::uint32_t> late_parts() const noexcept { return late_parts_; }
  /// All transfers, for all parts.
  void carry_all() noexcept;

  // Delays are read when their target cluster has an instant, and filled when their source cluster
  // has
  // one; `due` is by cluster.
  using Due = std::span<const std::uint8_t>;
  void read_delays(Time now, Due due) noexcept {
    for (std::size_t i = 0; i < delays_.size(); ++i)
      if (due[delay_ends_[i].to]) delays_[i].read(now);
  }
  void push_delays(Time now, Due due) noexcept {
    for (std::size_t i = 0; i < delays_.size(); ++i)
      if (due[delay_ends_[i].from]) delays_[i].push(now);
  }
  /// When the next delayed event arrives at a cluster; events of `now` that push_delays() will
  /// store count too.
  Time next_arrival(std::uint32_t cluster, Time now, Due) const noexcept;
  std::span<DelayLine> delays() noexcept { return delays_; }
  std::span<const DelayLine> delays() const noexcept { return delays_; }
  /// The wire of delays()[i], as an index into the plan.
  std::size_t delay_wire(std::size_t i) const noexcept { return delay_wires_[i]; }
  /// "plant.force -> body.force", for delays()[i].
  const std::string& delay_name(std::size_t i) const { return delay_names_[i]; }

  void publish(Due due) noexcept {
    for (std::size_t i = 0; i < streams_.size(); ++i)
      if (due[stream_clusters_[i]]) streams_[i]->publish();
  }
  std::size_t streams() const noexcept { return streams_.size(); }
  std::uint64_t messages_lost() const noexcept;
  std::uint64_t delays_merged() const noexcept;

  Journal& journal(std::size_t part) noexcept { return journals_[part]; }
  /// Parts that requested their journal when they were bound: only these can have entries.
  std::span<const std::uint32_t> journaling() const noexcept { return journaling_; }

  /// Whether a real output is NaN.
  bool not_a_number() const noexcept;

  /// The index of the view of an output.
  std::size_t output_view(std::size_t part, std::size_t i) const noexcept {
    return first_[part] + i;
  }

  // by index into the views
  void override_port(std::size_t view, std::span<const double> values) noexcept;
  void release(std::size_t view) noexcept;
  void send(std::size_t view) noexcept;
  std::int64_t& sent(std::size_t view) noexcept { return injected_[cells_[view].injected]; }
  /// The value of an output that others read.
  std::span<std::byte> content(std::size_t view) noexcept;
  /// What the component reads or writes while overridden.
  std::span<std::byte> shadow(std::size_t view) noexcept;
  Stream* stream(std::size_t view) noexcept { return cells_[view].stream; }
  StreamReader* reader(std::size_t view) noexcept { return cells_[view].reader; }
  /// Streams and readers of one part, for rewinding.
  std::span<Stream* const> streams_of(std::size_t part) const noexcept {
    return part_streams_[part];
  }
  std::span<StreamReader* const> readers_of(std::size_t part) const noexcept {
    return part_readers_[part];
  }

  /// The contents of all ports, except streams and pending values of delays.
  struct Values {
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
    std::vector<std::uint8_t> bytes;
    std::vector<std::byte> shadows;
  };
  Values values();
  void set(const Values&);

  /// As before the first tick: streams empty, delays without history.
  void reset();

 private:
  friend class PartBindings;

  struct Cell {
    const Port* port = nullptr;
    std::size_t bytes = 0;            // of the whole port
    std::byte* feed = nullptr;        // source or target of the wires
    std::uint64_t* shadow = nullptr;  // of all except streams
    bool overridden = false;          // the component reads or writes the shadow
    std::size_t injected = 0;         // event inputs: index into injected_
    Stream* stream = nullptr;
    StreamReader* reader = nullptr;
  };
  struct Program {
    std::size_t begin = 0, end = 0;
  };

  std::size_t output_cell(std::size_t part, std::size_t i) const { return first_[part] + i; }
  std::size_t input_cell(std::size_t part, std::size_t i) const;
  void keeps_journal(std::size_t part);
  void allocate(const composition::Plan&);
  void wire(const composition::Plan&);
  void wire_input(const composition::Plan&, std::size_t cell,
                  std::span<const composition::Wire* const>, std::vector<Transfer>& program);
  const std::byte* source(const composition::Plan&, const composition::Wire&, const Cell& to,
                          bool only);
  std::byte* take(const Port&);
  void set(std::byte* memory, const Port&, std::span<const double> values) const noexcept;

  std::vector<PortView>& views_;
  std::vector<composition::Part> const* parts_;
  std::vector<std::size_t> first_;  // first cell of each part, and the end
  std::vector<Cell> cells_;         // as the views
  std::vector<double> reals_;       // outputs first
  std::size_t real_outputs_ = 0;
  std::vector<std::int64_t> integers_, injected_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint64_t> shadows_;
  std::vector<std::unique_ptr<Bindings>> bindings_;  // by part
  std::size_t reals_used_ = 0, integers_used_ = 0, bytes_used_ = 0;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<std::uint32_t> stream_clusters_;
  std::vector<std::unique_ptr<StreamReader>> readers_;
  std::vector<std::vector<Stream*>> part_streams_;
  std::vector<std::vector<StreamReader*>> part_readers_;
  std::vector<Journal> journals_;
  std::vector<std::uint32_t> journaling_;  // ascending
  std::vector<Transfer> transfers_;
  std::vector<Program> early_, late_;
  std::vector<std::uint32_t> late_parts_;
  struct Ends {
    std::uint32_t from = 0, to = 0;  // clusters
  };
  std::vector<DelayLine> delays_;
  std::vector<Ends> delay_ends_;
  std::vector<std::size_t> delay_wires_;
  std::vector<std::string> delay_names_;
  std::vector<std::size_t> event_delays_;  // indices into delays_
};

}  // namespace vernier::executive::detail
