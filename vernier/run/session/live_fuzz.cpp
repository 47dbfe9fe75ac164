// Arbitrary request lines to a run: each has one line as its answer, and a correct request is
// answered after all of them.
#include <array>
#include <cstdint>
#include <string_view>

#include "vernier/base/require.hpp"
#include "vernier/run/session/live.hpp"

namespace {

using namespace vernier;

/// Ports of every kind that can be set.
class Ports final : public Component {
 public:
  Ports() {
    description_.inputs = {{.name = "u", .unit = "N*m", .initial = {{0.0}}},
                           {.name = "v", .count = 3, .initial = {{1.0, 2.0, 3.0}}},
                           {.name = "n", .scalar = Scalar::integer, .initial = {{1.0}}},
                           {.name = "b", .scalar = Scalar::boolean, .initial = {{0.0}}},
                           {.name = "go", .scalar = Scalar::integer, .flow = Flow::event}};
    description_.outputs = {{.name = "y", .unit = "m"}, {.name = "state", .state = true}};
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override {
    u_ = b.real_input("u");
    y_ = b.real_output("y");
  }
  Outcome output(Instant) noexcept override {
    y_[0] = u_[0];
    return Outcome::ok;
  }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Description description_;
  std::span<const double> u_;
  std::span<double> y_;
};

composition::Plan made() {
  composition::Plan plan;
  plan.name = "fuzzed";
  plan.step = std::chrono::milliseconds(10);
  composition::Part part;
  part.name = "part";
  part.prefix = "part.";
  part.instances = {part.name};
  part.component = std::make_unique<Ports>();
  part.inside = {{"part.inner", "part.u"}};
  plan.parts.push_back(std::move(part));
  Diagnostics problems;
  composition::arrange(plan, problems);
  return plan;
}

/// Carries out orders whenever it is asked whether it is over.
struct Run final : session::Steerable {
  explicit Run(executive::Executive& e) : executive(e) {}
  std::string status() override { return "status"; }
  std::string state_text() override { return "{}"; }
  std::string freeze() override { return "frozen"; }
  std::string resume() override { return "resumed"; }
  std::string stop() override { return "stops"; }
  std::string step(int ticks) override {
    require(ticks > 0);
    return "stepped";
  }
  std::string set_rate(double rate) override {
    require(rate > 0.0);
    return "rate";
  }
  std::string checkpoint() override { return "saved"; }
  std::string mark(std::string_view) override { return "marked"; }
  std::string real_time() override { return "{}"; }
  std::string move(std::string_view part, std::string_view node) override {
    return std::string(part) + " on " + std::string(node);
  }
  std::string rewind(Time t) override {
    require(t >= Time{});
    return "rewound";
  }
  bool over() override {
    executive.carry_out();
    return false;
  }
  executive::Executive& executive;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static executive::Executive executive(made());
  static Run run(executive);
  static session::Live live(executive, run);
  static const bool begun = (executive.initialize(), true);
  require(begun);
  std::string_view all(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 4096));
  while (!all.empty()) {
    const std::string_view line = all.substr(0, all.find('\n'));
    all.remove_prefix(std::min(line.size() + 1, all.size()));
    const std::string answer = live.answer(line);
    executive.carry_out();  // as the next tick does
    require(!answer.empty() && answer.find('\n') == std::string::npos);
  }
  require(live.answer("get part.y").starts_with("{\"time\":"));
  return 0;
}
