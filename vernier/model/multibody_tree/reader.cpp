#include "vernier/model/multibody_tree/reader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/document/report.hpp"
#include "vernier/model/multibody_tree/detail/builder.hpp"
#include "vernier/model/multibody_tree/title.hpp"

namespace vernier::embedded {
std::string_view multibody_tree(std::string_view file) noexcept;
}

namespace vernier::multibody_tree {
namespace {

using document::Document;

/// Reports the findings of multibody::check() at the places of the bodies.
void add_findings(const Spacecraft& s, const detail::Builder& builder, document::Report& report) {
  const auto& m = s.model.tree;
  std::vector<Finding> all = multibody::check(m);
  const std::vector<Finding> around = multibody::check(s.model);
  all.insert(all.end(), around.begin(), around.end());
  if (std::ranges::none_of(all, [](const Finding& f) { return f.severity == Severity::error; })) {
    const std::vector<Finding> at_start = multibody::check_modes_at_start(s.model);
    all.insert(all.end(), at_start.begin(), at_start.end());
  }
  for (const Finding& f : all) {
    // Integrals computed from points satisfy the identities by construction. Points with inertia
    // would only seem to violate them.
    const bool warning = f.severity == Severity::warning;
    if (warning && f.code == "V1608" && f.body >= 0 && builder.computed(f.body)) continue;
    Place place = report.document().root().place;
    if (f.body >= 0 && static_cast<std::size_t>(f.body) < m.bodies.size()) {
      const Places::OfBody& of = s.places.bodies[static_cast<std::size_t>(f.body)];
      place = of.body;
      if (f.node >= 0 && static_cast<std::size_t>(f.node) < of.nodes.size())
        place = of.nodes[static_cast<std::size_t>(f.node)];
    }
    if (warning) {
      Diagnostic& d = report.warning(f.code.c_str(), f.message, place);
      if (f.code == "V1614")
        d.notes.emplace_back(
            "spin stiffens bent parts; without this the modes are too soft, and unstable above "
            "their frequency. Give beam lines in the modal file, <shape mode=… with=…/> of lumps "
            "and nodes, or <integral>s S2 and N2");
    } else {
      report.error(f.code.c_str(), f.message, place);
    }
  }
}

// The document is built once when it is read, to report errors and collect parameters, and again
// for each set of parameters. Modal files are read once.
class DocumentSource final : public Source {
 public:
  DocumentSource(Document d, Diagnostics& problems)
      : document_(std::move(d)), title_(title_of(document_)) {
    build(nullptr, problems);
  }

  const std::string& name() const noexcept override { return title_.name; }
  const std::string& summary() const noexcept override { return title_.summary; }
  const std::vector<ParameterSpec>& parameters() const noexcept override { return specs_; }

  std::vector<std::filesystem::path> files() const override {
    std::vector<std::filesystem::path> all;
    for (const auto& [file, content] : files_.modal) all.push_back(document_.beside(file));
    for (const auto& [name, file] : files_.meshes) all.push_back(file.path);
    return all;
  }

  Spacecraft made(const Parameters& p) const override {
    Diagnostics problems;
    detail::Files files = files_;
    document::Report report(document_, problems);
    detail::Builder builder(document_, files, report, problems, &p);
    Spacecraft s = builder.run();
    if (!report.failed()) add_findings(s, builder, report);
    report_set(problems, found_, p, specs_);
    return s;
  }

 private:
  void build(const Parameters* p, Diagnostics& problems) {
    Diagnostics of_files;
    document::Report report(document_, found_);
    detail::Builder builder(document_, files_, report, of_files, p);
    const Spacecraft s = builder.run();
    specs_ = builder.specs();
    if (!report.failed() && of_files.errors() == 0) add_findings(s, builder, report);
    add_in_order(problems, of_files, found_);
    found_.append(of_files);
  }

  Document document_;
  Title title_;
  std::vector<ParameterSpec> specs_;
  Diagnostics found_;  // in the document and in its files, without parameters
  detail::Files files_;
};

}  // namespace

document::Grammar grammar() {
  return {"multibody", "multibody.dtd",
          embedded::multibody_tree("formats/multibody/multibody.dtd")};
}

std::shared_ptr<const Source> read_source(const std::filesystem::path& path,
                                          Diagnostics& problems) {
  return document::read_as<DocumentSource>(path, grammar(), problems);
}

std::shared_ptr<const Source> parse_source(std::string content, const DocumentFile& name,
                                           Diagnostics& problems) {
  return document::parse_as<DocumentSource>(std::move(content), name, grammar(), problems);
}

}  // namespace vernier::multibody_tree
