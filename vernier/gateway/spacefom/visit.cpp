#include "vernier/base/text.hpp"
#include "vernier/gateway/spacefom/detail/waiting.hpp"
#include "vernier/gateway/spacefom/recording.hpp"

namespace vernier::spacefom {

// Short visits to an RTI without taking part in the federation.

std::vector<std::string> federations(const std::string& designator, std::chrono::milliseconds wait,
                                     std::function<void(const std::string&)> notice) {
  Settings s;
  s.designator = designator;
  s.wait = wait;
  s.notice = std::move(notice);
  s.name = "vernier";
  Federate::Work visitor(s, {});
  std::vector<std::string> names;
  visitor.guarded([&] { names = visitor.listed(); });
  return names;
}

void create_federation(const Settings& s) {
  Federate::Work visitor(s, {});
  visitor.guarded([&] { visitor.create(); });
}

void expel(const Settings& s, const std::string& federate) {
  Federate::Work visitor(s, {});
  visitor.guarded([&] { visitor.expel(federate); });
}

std::string current_fom(const Settings& s) {
  Federate::Work visitor(s, {});
  std::string document;
  try {
    visitor.guarded([&] { document = visitor.current_fom(); });
  } catch (const ConfigurationError& e) {
    if (e.diagnostics().list().front().code != "V5332") throw;  // an RTI without management objects
  }
  return document;
}

std::vector<std::string> Federate::Work::listed() {
  connect();
  rti().listFederationExecutions();
  std::vector<std::string> names;
  wait_for([&] { return executions_.has_value(); }, [] { return std::string(); },
           std::chrono::seconds(10));
  for (const std::wstring& n : executions_.value_or(std::vector<std::wstring>()))
    names.push_back(narrow(n));
  return names;
}

void Federate::Work::create() {
  connect();
  try {
    rti().createFederationExecution(wide(settings.federation), module_files(), L"HLAinteger64Time");
  } catch (const rti1516e::FederationExecutionAlreadyExists&) {
    throw ConfigurationError("V5322", "there is a federation " + settings.federation + " already");
  } catch (const rti1516e::Exception& e) {
    throw ConfigurationError("V5322", "the federation " + settings.federation +
                                          " cannot be created: " + narrow(e.what()));
  }
}

void Federate::Work::join_as_visitor() {
  connect();
  try {
    rti().joinFederationExecution(wide(settings.name), wide(settings.type),
                                  wide(settings.federation));
  } catch (const rti1516e::Exception& e) {
    throw ConfigurationError(
        "V5322", settings.name + " cannot join " + settings.federation + ": " + narrow(e.what()));
  }
  enter(detail::Stage::joined);
}

std::string Federate::Work::current_fom() {
  join_as_visitor();
  federation_.attributes = {"HLAcurrentFDD"};
  federation_.subscribe(rti());
  const Octets* value = execution_value(std::chrono::seconds(10));
  return value ? read_string(*value).value_or("") : "";
}

void Federate::Work::expel(const std::string& name) {
  join_as_visitor();
  const auto resign = rti().getInteractionClassHandle(
      L"HLAinteractionRoot.HLAmanager.HLAfederate.HLAservice.HLAresignFederationExecution");
  rti1516e::ParameterHandleValueMap values;
  try {
    values[rti().getParameterHandle(resign, L"HLAfederate")] =
        rti().getFederateHandle(wide(name)).encode();
  } catch (const rti1516e::NameNotFound&) {
    peers_.federates().subscribe(rti());  // the MOM lists the federates
    wait_for([] { return false; }, [] { return std::string(); }, std::chrono::milliseconds(500));
    std::vector<std::string> others = peers_.members();
    std::erase(others, settings.name);
    Diagnostics d;
    Diagnostic& e =
        d.error("V5322", "there is no federate " + name + " in " + settings.federation, {});
    if (const auto near = closest(name, others)) e.notes.push_back("did you mean " + *near + "?");
    e.notes.push_back(others.empty() ? "nobody is there"
                                     : "there are " + vernier::joined(others, ", "));
    throw ConfigurationError(d);
  }
  // HLAresignAction: cancel, then delete, then divest; 32 bits, big endian
  const std::byte action[4]{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{5}};
  values[rti().getParameterHandle(resign, L"HLAresignAction")].setData(action, sizeof action);
  rti().publishInteractionClass(resign);
  rti().sendInteraction(resign, values, {});
}

}  // namespace vernier::spacefom
