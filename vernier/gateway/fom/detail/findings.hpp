#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vernier/gateway/fom/model.hpp"

namespace vernier::fom::detail {

/// Problems in several modules, each with its source line; at most a hundred.
class Findings {
 public:
  Findings(std::vector<const Module*> modules, Diagnostics& out)
      : modules_(std::move(modules)), out_(out) {}

  Diagnostic& error(const char* code, std::string message, const Place&, int module);
  Diagnostic& warning(const char* code, std::string message, const Place&, int module);
  /// Enough errors; a hundred warnings more are kept, and do not end the checks.
  bool full() const noexcept { return errors_ >= most; }
  std::size_t errors() const noexcept { return errors_; }

  /// "datatypes.xml, line 14".
  static std::string where(const Place&);

 private:
  static constexpr std::size_t most = 100;
  Diagnostic& add(Severity, const char* code, std::string message, const Place&, int module);

  std::vector<const Module*> modules_;
  Diagnostics& out_;
  Diagnostic ignored_;
  std::size_t errors_ = 0, warnings_ = 0;
};

/// Checks that every name in the merged modules is defined, and computes the layouts of the data
/// types.
void resolve(Fom&, Findings&);

}  // namespace vernier::fom::detail
