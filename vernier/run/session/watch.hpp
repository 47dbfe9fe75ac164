#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/time.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/executive/observer.hpp"

namespace vernier::session {

/// A reported quantity.
struct ReportResult {
  std::string name;
  std::string signal;
  std::string unit;
  double value = 0.0;  // in `unit`
};

/// The result of a check.
struct CheckResult {
  std::string name;
  std::string signal;
  composition::Check::Kind kind{};
  bool kept = true;
  bool seen = false;     // there was at least one sample
  double worst = 0.0;    // the value nearest to or farthest beyond the limit; constant: the
                         // relative change; near: the distance
  double allowed = 0.0;  // what `worst` is compared with
  double at = 0.0;       // s; of the worst value
  std::string unit;      // of worst and allowed
};

/// "changes by 3e-12, allowed 1e-09"
std::string words_of(const CheckResult&);

/// Observes a run: computes its reports and checks, each at the instants of its signal, and its
/// current time. A signal of several elements counts by its norm; a `constant` check takes the norm
/// of the difference. Means are over time.
class Watch final : private executive::Observer {
 public:
  /// The signals of the composition must be ports of the executive (prepare() checks that).
  Watch(const composition::Composition&, const executive::Executive&);

  void attach(executive::Executive&);
  void leave(executive::Executive&) noexcept;

  /// The time of the last instant seen. From any thread.
  Time now() const noexcept { return Time(Duration(now_.load(std::memory_order_relaxed))); }

  /// What reports and checks know, to continue from; false: it is of others.
  std::vector<std::byte> save() const;
  bool load(std::span<const std::byte>);

  std::vector<ReportResult> reports() const;
  std::vector<CheckResult> checks() const;

 private:
  struct Source {
    const executive::PortView* port = nullptr;
    std::uint32_t first = 0, last = 0;
    double value() const noexcept;
  };
  struct Reported {
    composition::Report spec;
    Source source;
    bool any = false;
    double first = 0.0, previous = 0.0;
    double least = 0.0, most = 0.0, when = 0.0;
    double integral = 0.0, square = 0.0;  // of the value over time
    double began = 0.0, before = 0.0;     // s

    static constexpr bool visited = true;
    template <class V>
    void fields(V& v) {
      v(any, first, previous, least, most, when, integral, square, began, before);
    }
  };
  struct Checked {
    composition::Check spec;
    Source source;
    std::vector<double> reference;  // constant: the first value
    double size = 0.0;              // of the reference
    CheckResult result;

    static constexpr bool visited = true;
    template <class V>
    void fields(V& v) {
      v(reference, size, result.kept, result.seen, result.worst, result.at);
    }
  };

  /// Observes the signals of one cluster.
  struct Eye final : executive::Observer {
    std::uint32_t cluster = 0;
    std::vector<Reported*> reports;
    std::vector<Checked*> checks;
    std::vector<const executive::PortView*> ports;
    void sample(Instant, bool last) noexcept override;
    const std::vector<const executive::PortView*>* reads() const noexcept override {
      return &ports;
    }
  };

  void sample(Instant, bool last) noexcept override;
  const std::vector<const executive::PortView*>* reads() const noexcept override { return &none_; }
  Eye& eye(const Source&);
  static Source source_of(const composition::Endpoint&, const executive::Executive&);
  static void take(Reported&, double t) noexcept;
  static void take(Checked&, double t) noexcept;

  std::vector<Reported> reports_;
  std::vector<Checked> checks_;
  std::vector<std::unique_ptr<Eye>> eyes_;
  const std::vector<const executive::PortView*> none_;
  std::atomic<std::int64_t> now_{0};
};

}  // namespace vernier::session
