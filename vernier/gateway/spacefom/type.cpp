#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/component/catalogue.hpp"
#include "vernier/gateway/spacefom/detail/scene.hpp"
#include "vernier/gateway/spacefom/federate_component.hpp"

namespace vernier::spacefom {

Type type_of(const FederateDocument& d, std::function<void(const std::string&)> notice) {
  Type type;
  type.name = d.settings.name;
  type.summary = d.description.substr(0, d.description.find('\n'));
  const auto text = [](const char* name, const std::string& initial, const char* what) {
    return ParameterSpec{
        .name = name, .kind = ParameterKind::text, .initial = initial, .description = what};
  };
  type.parameters = {
      text("rti", d.settings.designator, "where the RTI is; empty: in this process"),
      text("federation", d.settings.federation, "which federation"),
      text("federate", d.settings.name, "the name in it"),
      {.name = "patience",
       .unit = "s",
       .initial = exact(static_cast<double>(d.settings.patience.count()) * 1e-3),
       .description = "for others to come; 0: any time"},
      {.name = "wait",
       .unit = "s",
       .initial = "3",
       .description = "for the RTI to come up, when nobody answers there"},
      {.name = "pace",
       .kind = ParameterKind::choice,
       .initial = "document",
       .description = "of the Pacing federate: as the document says, or as fast as possible",
       .choices = {"document", "none"}}};
  type.files = d.modules;
  type.component = [d, notice = std::move(notice)](const Parameters& p) {
    FederateDocument made = d;
    made.settings.designator = p.text("rti");
    made.settings.federation = p.text("federation");
    made.settings.name = p.text("federate");
    made.settings.notice = notice;
    if (made.settings.name.empty()) p.reject("federate", "a federate needs a name");
    if (!(p.real("patience") >= 0.0 && p.real("patience") <= 1e6))
      p.reject("patience", "it must be from 0 to 1e6 s");
    made.settings.patience = std::chrono::milliseconds(std::llround(p.real("patience") * 1e3));
    if (!(p.real("wait") >= 0.0 && p.real("wait") <= 1e6))
      p.reject("wait", "it must be from 0 to 1e6 s");
    made.settings.wait = std::chrono::milliseconds(std::llround(p.real("wait") * 1e3));
    if (p.text("pace") == "none") made.pace.kind = Pace::Kind::none;
    return std::make_unique<FederateComponent>(std::move(made));
  };
  type.scene = [looks = detail::scene_of(d)](const Parameters&) { return looks; };
  return type;
}

void add_federates(Catalogue& catalogue, std::function<void(const std::string&)> notice) {
  catalogue.add(DocumentKind{
      .root = "federate",
      .summary = "a member of a federation of simulators (HLA)",
      .instance = InstanceKind::connector,
      .read = [notice = std::move(notice)](std::string content, const DocumentFile& file,
                                           Diagnostics& problems) {
        const auto document = parse_federate(std::move(content), file, problems);
        return document ? type_of(*document, notice) : Type{};
      }});
}

}  // namespace vernier::spacefom
