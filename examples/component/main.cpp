// A user-defined component, run by the executive: a leaky photon counter.
//   dN/dt = rate - N / decay,   in: rate [1/s],   out: count [1]
#include <cmath>
#include <cstdio>
#include <cstring>

#include "vernier/run/executive/executive.hpp"

namespace {

using namespace std::chrono_literals;

class PhotonCounter final : public vernier::Component {
 public:
  explicit PhotonCounter(double decay) : decay_(decay) {
    description_.inputs = {{.name = "rate", .unit = "1/s", .initial = std::vector{100.0}}};
    description_.outputs = {{.name = "count"}};
    description_.state_bytes = sizeof count_;
  }

  const vernier::Description& description() const noexcept override { return description_; }

  void bind(const vernier::Bindings& ports) override {
    rate_ = ports.real_input("rate");
    shown_ = ports.real_output("count");
  }

  vernier::Outcome output(vernier::Instant) noexcept override {
    shown_[0] = count_;
    return vernier::Outcome::ok;
  }

  vernier::Advance advance(vernier::Time from, vernier::Time to) noexcept override {
    // exact for a constant rate
    const double full = rate_[0] * decay_;
    count_ = full + (count_ - full) * std::exp(-vernier::seconds(to - from) / decay_);
    return {to};
  }

  void save(std::span<std::byte> image) const noexcept override {
    std::memcpy(image.data(), &count_, sizeof count_);
  }
  void load(std::span<const std::byte> image) noexcept override {
    std::memcpy(&count_, image.data(), sizeof count_);
  }

 private:
  double decay_;  // s
  vernier::Description description_;
  std::span<const double> rate_;
  std::span<double> shown_;
  double count_ = 0.0;  // the state
};

}  // namespace

int main() {
  vernier::composition::Plan plan;
  plan.name = "photons";
  plan.step = 100ms;
  auto& part = plan.parts.emplace_back();
  part.name = "counter";
  part.prefix = "counter.";
  part.instances = {"counter"};
  part.component = std::make_unique<PhotonCounter>(2.0);
  vernier::Diagnostics problems;
  vernier::composition::arrange(plan, problems);

  vernier::executive::Executive executive(std::move(plan));
  executive.initialize();
  for (const auto t : {1s, 2s, 4s}) {
    executive.run_until(vernier::Time{t});
    std::printf("t = %2lld s   count = %.6f\n", static_cast<long long>(t.count()),
                executive.find("counter.count")->reals()[0]);
  }
  const auto saved = executive.save();
  executive.override_port("counter.rate", std::vector{0.0});
  executive.run_until(vernier::Time{10s});
  std::printf("t = 10 s   count = %.6f, the source switched off\n",
              executive.find("counter.count")->reals()[0]);
  executive.restore(saved);
  std::printf("back at t = %g s\n", vernier::seconds(executive.now()));
}
