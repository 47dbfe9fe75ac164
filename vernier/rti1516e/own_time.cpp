#include "vernier/rti1516e/own_time.hpp"

#include <RTI/Exception.h>

#include "vernier/rti1516e/raise.hpp"
#include "vernier/rti1516e/text.hpp"

namespace vernier::hla {

using namespace ::rti1516e;

namespace {

using Powers = std::vector<std::unique_ptr<LogicalTimeInterval>>;

/// `sum` becomes base + step. False when the sum overflows or is not greater.
template <class T>
bool stepped(T& sum, const T& base, const LogicalTimeInterval& step) try {
  sum = base;
  sum += step;
  return sum > base;
} catch (const IllegalTimeArithmetic&) {
  return false;
}

/// The number of epsilons in `t`, found bit by bit from the largest power of two. Only + and
/// comparison of the user's class are needed. `sum` is zero or the initial time, `trial` is
/// overwritten. Nothing when `t` is not a whole number of epsilons.
template <class T>
std::optional<std::int64_t> counted(const T& t, T& sum, T& trial, const Powers& powers) {
  if (t < sum) return {};
  std::int64_t n = 0;
  for (std::size_t k = powers.size(); k-- > 0;) {
    if (!stepped(trial, sum, *powers[k]) || trial > t) continue;
    sum = trial;
    n += std::int64_t{1} << k;
  }
  return sum == t ? std::optional(n) : std::nullopt;
}

template <class T>
void add_up(T& t, std::int64_t n, const Powers& powers) {
  for (std::size_t k = 0; k < powers.size(); ++k)
    if ((n >> k & 1) != 0) t += *powers[k];
}

[[noreturn]] void refuse(const std::wstring& name, const std::string& why) {
  raise(federation::Failure::CouldNotCreateLogicalTimeFactory,
        "the logical time '" + narrow(name) + "' " + why);
}

}  // namespace

OwnTime::OwnTime(const std::wstring& name)
    : name_(name), factory_(LogicalTimeFactoryFactory::makeLogicalTimeFactory(name).release()) {
  if (!factory_ || factory_->getName() != name)
    refuse(name,
           "is neither HLAinteger64Time nor HLAfloat64Time, and the program has no factory for it");
  try {
    const auto first = factory_->makeInitial(), last = factory_->makeFinal();
    auto sum = factory_->makeInitial(), after = factory_->makeInitial();
    auto step = factory_->makeEpsilon();
    // doubles epsilon up to the power that reaches the final time
    for (int k = 0; k < 63 && stepped(*sum, *first, *step); ++k) {
      powers_.push_back(std::move(step));
      // an epsilon that rounding absorbs at large times cannot be counted
      if (!(*sum < *last)) break;
      if (!stepped(*after, *sum, *powers_.front()))
        refuse(name, "has no exact multiples of its epsilon, which the RTI counts in");
      step = factory_->makeZero();
      if (!stepped(*step, *powers_.back(), *powers_.back())) break;
    }
    sum->setInitial();
    const auto n = counted(*last, *sum, *after, powers_);
    if (!n || *n == 0)
      refuse(name,
             "has a final time that is not a whole number of epsilons, at most 2^63 - 1, after the "
             "initial one; the RTI counts in epsilons");
    last_ = *n;
  } catch (const CouldNotCreateLogicalTimeFactory&) {
    throw;
  } catch (const Exception& e) {
    refuse(name, "failed to be tried: " + narrow(e.what()));
  }
}

std::optional<std::int64_t> OwnTime::count(const LogicalTime& t) try {
  if (t.implementationName() != name_) return {};
  const std::lock_guard lock(one_at_a_time_);
  return counted(t, *factory_->makeInitial(), *factory_->makeInitial(), powers_);
} catch (const Exception&) {
  return {};
}

std::optional<std::int64_t> OwnTime::count(const LogicalTimeInterval& t) try {
  if (t.implementationName() != name_) return {};
  const std::lock_guard lock(one_at_a_time_);
  return counted(t, *factory_->makeZero(), *factory_->makeZero(), powers_);
} catch (const Exception&) {
  return {};
}

void OwnTime::set(LogicalTime& t, std::int64_t n) {
  const std::lock_guard lock(one_at_a_time_);
  if (n >= last_) {
    t.setFinal();
    return;
  }
  t.setInitial();
  add_up(t, n, powers_);
}

void OwnTime::set(LogicalTimeInterval& t, std::int64_t n) {
  const std::lock_guard lock(one_at_a_time_);
  t.setZero();
  add_up(t, n, powers_);
}

std::unique_ptr<LogicalTime> OwnTime::make_time() {
  const std::lock_guard lock(one_at_a_time_);
  return factory_->makeInitial();
}

}  // namespace vernier::hla
