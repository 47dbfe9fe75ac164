#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/component/pacer.hpp"
#include "vernier/gateway/spacefom/document.hpp"

namespace vernier::spacefom {

/// A federate as a component and a pacer: its inputs are what it publishes, its outputs what it
/// subscribes to, and the federation controls the advance of time.
///
/// The run is one step ahead of the granted logical time, as the lookahead requires: at tick T the
/// federate is granted T - step, sends its inputs of T stamped T, requests T, and enters T + step
/// when T is granted. So outputs at T come from other federates' states up to T - step; they are
/// propagated to T (or used as received, as the document says). For a late joiner T counts from the
/// boundary at which it began.
///
/// A published object with port P has inputs P.position (m), P.velocity (m/s), P.attitude (scalar
/// last, parent to own axes), P.rate (1/s, own axes); entities also P.acceleration,
/// P.angular_acceleration, and with several parents P.parent, which selects one; dynamical ones
/// P.force, P.torque, P.mass, P.mass_rate, P.inertia, P.inertia_rate. A subscribed object has the
/// same as outputs, and P.known and P.age (s). Common outputs: logical_time (s), mode. Attributes
/// of user classes have a port for each part (values.hpp). An interaction is an event P with its
/// parameters as ports: each one received by then increases the count, and the parameters are those
/// of the last.
///
/// It joins in initialize(): checking a composition contacts no RTI.
class FederateComponent final : public Component,
                                public PacerSource,
                                public TimeBaseSource,
                                private Listener {
 public:
  explicit FederateComponent(FederateDocument);
  ~FederateComponent() override;

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  bool initialize(Time start, int phase) override;
  Outcome output(Instant) noexcept override;
  Advance advance(Time from, Time to) noexcept override;
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

  std::vector<Pacer*> pacers() override { return {&waiter_}; }
  bool withholds_time() const noexcept override { return true; }
  std::optional<WallPace> pace() const override;
  /// The central timing equipment, for the Pacing federate.
  TimeBase* time_base() override;

  const Fault& fault() const noexcept override { return fault_; }

  Federate& federate() noexcept { return *federate_; }
  const Objects& objects() const noexcept { return *objects_; }

 private:
  /// Waits for the federation.
  class Waiter final : public Pacer {
   public:
    explicit Waiter(FederateComponent& m) : member_(m) {}
    Outcome wait_for(Time t) noexcept override { return member_.wait_for(t); }
    Fault fault() const noexcept override { return member_.fault_; }
    bool over() const noexcept override { return member_.over_; }
    /// After the first call, names are requested from the RTI.
    Kept kept() const noexcept override {
      if (member_.federate_) member_.federate_->name_keepers(true);
      return member_.kept_;
    }
    bool stood_still() noexcept override {
      return member_.federate_ && member_.federate_->stood_still();
    }
    void interrupt() noexcept override {
      member_.interrupted_.store(true);
      if (Federate* f = member_.reachable_.load()) f->interrupt();
    }

   private:
    FederateComponent& member_;
  };
  /// The run begins when the central clock reaches the Master's time, and follows that clock.
  class CentralTime final : public TimeBase {
   public:
    explicit CentralTime(FederateComponent& m) : member_(m) {}
    void start(Time, std::int64_t now) noexcept override;
    std::int64_t due(Time, std::int64_t now) noexcept override;

   private:
    /// The reading of the central clock; extrapolated when it can no longer be read.
    std::int64_t central(std::int64_t now) noexcept;

    FederateComponent& member_;
    Time origin_{};
    std::int64_t at_ = 0, began_ = -1;  // ns of the central clock
    std::int64_t ahead_ = 0;            // of CLOCK_MONOTONIC
  };
  struct Input {
    std::span<const double> from;
    std::size_t at = 0, count = 0;  // in inputs_
  };
  struct Shown {
    const Subscribed* what = nullptr;
    std::span<double> position, velocity, acceleration, attitude, rate, angular_acceleration, age,
        mass, force, torque;
    std::span<std::uint8_t> known;
  };
  /// Attributes of one object of another federate, or parameters of an interaction.
  struct Mapped {
    std::string name;
    const std::vector<MappedAttribute>* attributes = nullptr;
    std::vector<std::vector<double>> values;
    std::vector<std::vector<std::span<double>>> ports;  // of each value's parts
  };
  /// The destinations in mapped_ of a value of another federate's object.
  struct Target {
    std::size_t mapped, attribute;
  };
  struct MappedOwn {
    const std::vector<MappedAttribute>* attributes = nullptr;
    std::vector<std::vector<double>> values;
    std::vector<Objects::Place> places;
  };
  struct Sent {
    std::span<const std::int64_t> count;
    std::int64_t wanted = 0, done = 0;
  };
  struct Came {
    std::span<std::int64_t> count;
    std::int64_t total = 0;
  };

  void discovered(const Remote&) override;
  void reflected(const Remote&, std::span<const std::size_t> changed) override;
  void received(std::size_t interaction, std::span<const Octets>, Ticks stamp) override;
  void sending(Ticks) override;

  std::vector<const std::vector<MappedAttribute>*> published_attributes() const;
  std::vector<std::pair<std::string, const std::vector<MappedAttribute>*>> subscribed_attributes()
      const;
  static std::vector<Octets> encoded(const MappedOwn&);
  void take(Mapped&, std::size_t attribute, const Octets&);

  Outcome wait_for(Time) noexcept;
  void describe();
  void describe_states_in();
  void describe_values_in();
  void describe_outputs();
  void bind_shown(const Bindings&);
  void bind_mapped(const Bindings&);
  void make_federate();
  void publish();
  void subscribe();
  void keep_inputs() noexcept;
  void apply_inputs(Ticks at);
  void show(const Shown&, double time) const noexcept;
  void check_frames();

  FederateDocument document_;
  Description description_;
  std::unique_ptr<Federate> federate_;
  std::unique_ptr<Objects> objects_;
  std::vector<Input> bound_;
  std::vector<double> inputs_;
  std::vector<Shown> shown_;
  std::vector<Mapped> mapped_;
  std::vector<std::vector<std::vector<Target>>> targets_;  // by Remote::number and position
  std::vector<MappedOwn> mapped_own_;
  std::vector<Sent> sent_;
  std::vector<Came> came_;
  std::set<const MappedAttribute*> told_;  // for which an undecodable value was reported
  std::span<double> logical_time_;
  std::span<std::int64_t> mode_;
  bool over_ = false, joined_ = false;
  std::atomic<Federate*> reachable_{nullptr};  // for interrupt(), from a signal handler
  std::atomic<bool> interrupted_{false};
  Fault fault_;
  Pacer::Kept kept_;
  Waiter waiter_{*this};
  CentralTime central_{*this};
};

}  // namespace vernier::spacefom
