#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/component/rest.hpp"
#include "vernier/gateway/link/plan.hpp"
#include "vernier/gateway/link/server_time.hpp"
#include "vernier/gateway/link/signals.hpp"
#include "vernier/gateway/rsp/client.hpp"
#include "vernier/gateway/rsp/facility_server.hpp"

namespace vernier::rsp {

/// RSP over SCP: one step of a link as the state machines need it.
class LinkTransport final : public Transport {
 public:
  explicit LinkTransport(link::Link&);
  /// Begins a step that was planned for home time `planned`, ns.
  void begin(std::int64_t planned) noexcept;

  bool up() const noexcept override;
  std::uint32_t session() const noexcept override;
  const link::StepMap* steps() const noexcept override;
  Vector next() noexcept override;
  std::size_t room() const noexcept override;
  void send(std::span<const double>) noexcept override;

 private:
  link::Link& link_;
  const link::Quality* quality_;
  std::int64_t planned_ = 0;
  std::vector<double> numbers_;
};

/// Settings of both components.
struct SideSettings {
  link::Settings link;                                  // sizes and period are filled in
  Rate rate = {250, 1};                                 // of the steps of this side
  std::vector<std::string> bodies;                      // their names
  bool accelerations = false;                           // commands have accelerations
  std::chrono::milliseconds patience{0};                // for the peer at the start
  bool follow = false;                                  // a link client follows its server's clock
  std::function<void(const std::string&)> notice = {};  // called before waiting
};

struct ServerSideSettings {
  SideSettings side;
  ServerSettings server;         // the period is filled in
  std::vector<Trajectory> home;  // positions of the bodies before any command or measurement
};

struct ClientSideSettings {
  SideSettings side;
  ClientSettings client;  // period, bodies and accelerations are filled in
};

/// One side as a component: the simulator's side for the client, the facility's for the server.
/// Save and load do nothing: an external device cannot be rewound.
class Side : public Component, public TimeBaseSource, public ThreadOwner {
 public:
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  bool initialize(Time start, int phase) override;
  Outcome output(Instant) noexcept override;
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}
  Telling tell(const Entry&) const override;

  TimeBase* time_base() override;
  void set_priority(int p) noexcept override { link_.set_priority(p); }

  /// For addresses, status and tests.
  link::Link& link() noexcept { return link_; }

 protected:
  /// Ports of a body: real inputs or outputs of 3, 3, 4, 3 (, 3, 3) numbers.
  template <class Number>
  struct BodyPorts {
    std::span<Number> position, velocity, attitude, rate, acceleration, angular_acceleration;
  };
  using BodyInputs = BodyPorts<const double>;
  using BodyOutputs = BodyPorts<double>;

  Side(SideSettings, bool server);
  static BodyInputs inputs(const Bindings&, std::string_view name, bool accelerations);
  static BodyOutputs outputs(const Bindings&, std::string_view name, bool accelerations);
  /// False when a number is not finite, or an attitude is far from a unit quaternion.
  static bool read(const BodyInputs&, Trajectory&) noexcept;
  static void write(const BodyOutputs&, const Trajectory&) noexcept;
  void describe(const std::string& prefix, bool input, bool accelerations,
                const std::vector<Trajectory>* initial);
  void describe_integer(const char* name, const char* description);
  void enter(std::int32_t kind, std::int32_t from, std::int32_t to, std::int32_t item,
             const double (&values)[2]) noexcept;

  virtual void restart() = 0;
  virtual void step() noexcept = 0;   // a step has begun
  virtual void write() noexcept = 0;  // all outputs
  virtual Telling told(const Entry&) const = 0;

  SideSettings settings_;
  Description description_;
  link::Link link_;
  LinkTransport transport_;
  link::StepPlan plan_;
  link::Signals signals_;
  Journal* journal_ = nullptr;
  Time now_{};

 private:
  link::ServerTime server_time_;
};

/// The facility's side of RSP as a component (FacilityServer), over an SCP link that listens or
/// connects.
///
/// in   measured.NAME.position, .velocity, .attitude, .rate   measured states of each body
/// in   ready       the facility follows commands
/// in   fault       it cannot continue
/// out  NAME.position m, NAME.velocity m/s, NAME.attitude q_BN, NAME.rate rad/s body axes,
///      NAME.acceleration m/s², NAME.angular_acceleration rad/s² body axes   the command now
/// out  rsp.state   0 idle, 1 ready, 2 approaching, 3 running, 4 extrapolating, 5 halting,
///                  6 halted, 7 fault
/// out  rsp.run, rsp.forerun s, rsp.postponed s, rsp.end, and the counts rsp.runs, rsp.commands,
///      rsp.extrapolated, rsp.rejoined, rsp.late, rsp.early, rsp.duplicates, rsp.other_run,
///      rsp.rejected, rsp.refused, rsp.malformed, rsp.gaps
/// out  link.…      as those of link::Partner
class ServerSide final : public Side, public ComesToRest {
 public:
  /// Throws ConfigurationError (V5122, V5150). Opens nothing.
  explicit ServerSide(ServerSideSettings);

  void bind(const Bindings&) override;
  Advance advance(Time from, Time to) noexcept override;
  const FacilityServer& server() const noexcept { return *server_; }

  /// A halt as the protocol has it: along the path, within the limits, and the client is told.
  bool at_rest() const noexcept override { return server_->at_rest(); }
  void begin_rest(Duration) noexcept override { server_->close(); }
  void end_rest() noexcept override { server_->open(); }
  Duration longest_rest() const noexcept override;
  std::string motion() const override;

 private:
  void restart() override;
  void step() noexcept override;
  void write() noexcept override;
  Telling told(const Entry&) const override;

  ServerSettings server_settings_;
  std::vector<Trajectory> home_, measured_;
  std::unique_ptr<FacilityServer> server_;
  std::vector<BodyInputs> in_;
  std::vector<BodyOutputs> out_;
  std::span<const std::uint8_t> ready_, fault_;
  std::span<double> forerun_, postponed_;
  int often_ = 0;  // journal entries about commands in this run
  std::vector<std::span<std::int64_t>> counts_;
};

/// The simulator's side of RSP as a component (Client).
///
/// in   NAME.position, .velocity, .attitude, .rate (, .acceleration, .angular_acceleration)   the
///      simulated states; the initial ones until `running`
/// in   start       1: request a run; the default when not connected
/// in   stop        1: end it
/// out  running     1: the simulation advances from this step; 0: it is paused
/// out  measured.NAME.position, …   the facility's measured states
/// out  rsp.state   0 offline, 1 waiting, 2 asking, 3 counting, 4 running, 5 stopping
/// out  rsp.server  the server's state, rsp.run, rsp.forerun s, rsp.start s to the beginning; and
///      the counts rsp.runs, rsp.commands, rsp.refused, rsp.extrapolated, rsp.late, rsp.rejected,
///      rsp.malformed
/// out  link.…      as those of link::Partner
class ClientSide final : public Side {
 public:
  /// Throws ConfigurationError (V5122, V5151). Opens nothing.
  explicit ClientSide(ClientSideSettings);

  void bind(const Bindings&) override;
  Advance advance(Time from, Time to) noexcept override;
  const Client& client() const noexcept { return *client_; }

 private:
  void restart() override;
  void step() noexcept override;
  void write() noexcept override;
  Telling told(const Entry&) const override;

  ClientSettings client_settings_;
  std::vector<Trajectory> states_;
  std::unique_ptr<Client> client_;
  std::vector<BodyInputs> in_;
  std::vector<BodyOutputs> out_;
  std::span<const double> start_, stop_;
  std::span<double> running_, forerun_, to_start_;
  std::vector<std::span<std::int64_t>> counts_;
};

}  // namespace vernier::rsp
