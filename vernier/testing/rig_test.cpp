#include "vernier/testing/rig.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstring>

namespace vernier::testing {
namespace {

using namespace std::chrono_literals;

/// x' = u, y = x, with optional errors.
class Integrator : public Component {
 public:
  enum class Mistake { none, undeclared_feedthrough, forgotten_state, allocates };

  explicit Integrator(Mistake m) : mistake_(m) {
    description_.inputs = {{.name = "u", .initial = std::vector{0.0}}};
    description_.outputs = {{.name = "y"}};
    description_.state_bytes = sizeof x_;
  }
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings& b) override {
    u_ = b.real_input("u");
    y_ = b.real_output("y");
  }
  Outcome output(Instant) noexcept override {
    y_[0] = x_ + hidden_ + (mistake_ == Mistake::undeclared_feedthrough ? u_[0] : 0.0);
    return Outcome::ok;
  }
  Advance advance(Time from, Time to) noexcept override {
    x_ += u_[0] * seconds(to - from);
    if (mistake_ == Mistake::forgotten_state) hidden_ += 1.0;
    if (mistake_ == Mistake::allocates) kept_.reset(new double(x_));
    return {to};
  }
  void save(std::span<std::byte> image) const noexcept override {
    std::memcpy(image.data(), &x_, sizeof x_);
  }
  void load(std::span<const std::byte> image) noexcept override {
    std::memcpy(&x_, image.data(), sizeof x_);
  }

 private:
  Mistake mistake_;
  Description description_;
  std::span<const double> u_;
  std::span<double> y_;
  double x_ = 0.0, hidden_ = 0.0;
  std::unique_ptr<double> kept_;
};

void check(Integrator::Mistake m) {
  Integrator component(m);
  expect_conforming(component, 10ms, [](Rig& r, int k) { r.in("u") = 0.1 * k; });
}

TEST(Conformance, IsGrantedToAComponentThatKeepsItsPromises) { check(Integrator::Mistake::none); }

TEST(Conformance, SeesAnUndeclaredDependence) {
  EXPECT_NONFATAL_FAILURE(check(Integrator::Mistake::undeclared_feedthrough),
                          "y follows u, undeclared");
}

TEST(Conformance, SeesAStateThatIsNotSaved) {
  EXPECT_NONFATAL_FAILURE(check(Integrator::Mistake::forgotten_state),
                          "does not bring the past back");
}

TEST(Conformance, SeesAnAllocationInTheLoop) {
  EXPECT_NONFATAL_FAILURE(check(Integrator::Mistake::allocates), "a real-time function allocates");
}

}  // namespace
}  // namespace vernier::testing
