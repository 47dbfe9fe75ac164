#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>

#include "vernier/document/report.hpp"
#include "vernier/gateway/spacefom/document.hpp"

namespace vernier::spacefom::detail {

/// Ports of a federate document for attributes and parameters of the user's modules.
class Mapping {
 public:
  /// `ports` are the names already used.
  Mapping(document::Report& r, std::set<std::string>& ports) : report_(r), ports_(ports) {}
  /// Without it there are no user modules.
  void use(const fom::Fom& f) noexcept { fom_ = &f; }

  /// Adds the attributes that the element's class has beyond `base` of the SpaceFOM, with ports
  /// named `prefix`.… A frame class with accelerations gets ports for them (published), or they are
  /// used for propagation (subscribed). Returns whether the class is a DynamicalEntity.
  bool extend(const document::Element&, const std::string& base, const std::string& prefix,
              Extended&, bool published);
  void object(const document::Element&, const std::string& prefix, std::vector<MappedObject>&);
  void interaction(const document::Element&, const std::string& prefix,
                   std::vector<MappedInteraction>&);

 private:
  Diagnostic& wrong(const char* code, const document::Element&, std::string_view attribute,
                    std::string what);
  template <class Classes>
  std::optional<int> class_of(const document::Element&, const char* kind, const Classes*);
  void attributes(const document::Element&, int index, const std::string& prefix,
                  std::vector<MappedAttribute>&, const std::string& base);
  void one(const document::Element&, const char* kind, const std::string& data_type,
           const std::string& prefix, std::vector<MappedAttribute>&, bool has_standard_ports);
  void initial(const document::Element&, MappedAttribute&);

  document::Report& report_;
  std::set<std::string>& ports_;
  const fom::Fom* fom_ = nullptr;
};

}  // namespace vernier::spacefom::detail
