#include "vernier/model/multibody_loops/reader.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/component/not_loaded.hpp"
#include "vernier/document/report.hpp"
#include "vernier/model/multibody_loops/detail/builder.hpp"
#include "vernier/model/multibody_loops/mechanism.hpp"
#include "vernier/model/multibody_loops/scene.hpp"
#include "vernier/model/multibody_tree/title.hpp"

namespace vernier::embedded {
std::string_view multibody_loops(std::string_view file) noexcept;
}

namespace vernier::multibody_loops {
namespace {

using document::Document;

// The document is built twice: once when it is read, to report errors and collect parameters, and
// once for each set of parameters.
class DocumentSource final : public Source {
 public:
  DocumentSource(Document d, Diagnostics& problems, std::shared_ptr<NativeCode> code)
      : document_(std::move(d)),
        title_(multibody_tree::title_of(document_)),
        code_(std::move(code)) {
    Diagnostics of_files;
    document::Report report(document_, found_);
    detail::Builder builder(document_, report, found_, of_files, nullptr, code_.get(), meshes_);
    alone_ = builder.run().alone;
    specs_ = builder.specs();
    files_ = builder.files();
    for (const auto& [name, file] : meshes_) files_.insert(file.path);
    multibody_tree::add_in_order(problems, of_files, found_);
    found_.append(of_files);
  }

  const std::string& name() const noexcept override { return title_.name; }
  const std::string& summary() const noexcept override { return title_.summary; }
  const std::vector<ParameterSpec>& parameters() const noexcept override { return specs_; }
  std::vector<std::filesystem::path> files() const override {
    return {files_.begin(), files_.end()};
  }

  const Alone& alone() const noexcept override { return alone_; }

  Definition made(const Parameters& p) const override {
    Diagnostics found, of_files;
    document::Report report(document_, found);
    multibody_tree::MeshFiles meshes = meshes_;
    detail::Builder builder(document_, report, found, of_files, &p, code_.get(), meshes);
    Definition d = builder.run();
    of_files.append(found);
    multibody_tree::report_set(of_files, found_, p, specs_);
    return d;
  }

 private:
  Document document_;
  multibody_tree::Title title_;
  std::shared_ptr<NativeCode> code_;
  std::vector<ParameterSpec> specs_;
  Diagnostics found_;  // in the document and in its files, without parameters
  std::set<std::filesystem::path> files_;
  multibody_tree::MeshFiles meshes_;
  Alone alone_;
};

Alone parse_alone(std::string content, const DocumentFile& file) {
  Diagnostics problems;  // the reader of the type reports them
  const std::shared_ptr<const Source> source = parse_source(std::move(content), file, problems);
  return source ? source->alone() : Alone{};
}

/// The ports of a mechanism that lacks elements of shared objects.
std::unique_ptr<Component> without_code(const Definition& d) {
  Description ports;
  ports.inputs = d.inputs;
  for (const Shown& s : d.outputs) ports.outputs.push_back(s.port);
  ports.more_outputs = true;
  return std::make_unique<NotLoaded>(
      std::move(ports),
      not_loaded_text(d.not_loaded.front(), "its elements, their outputs, and the assembly"));
}

}  // namespace

document::Grammar grammar() {
  return {"mechanism", "constrained.dtd",
          embedded::multibody_loops("formats/constrained/constrained.dtd")};
}

std::shared_ptr<const Source> read_source(const std::filesystem::path& path, Diagnostics& problems,
                                          const std::shared_ptr<NativeCode>& code) {
  return document::read_as<DocumentSource>(path, grammar(), problems, code);
}

std::shared_ptr<const Source> parse_source(std::string content, const DocumentFile& name,
                                           Diagnostics& problems,
                                           const std::shared_ptr<NativeCode>& code) {
  return document::parse_as<DocumentSource>(std::move(content), name, grammar(), problems, code);
}

Type type_of(const std::shared_ptr<const Source>& source) {
  Type type;
  type.name = source->name();
  type.summary = source->summary();
  type.parameters = source->parameters();
  type.files = source->files();
  type.component = [source](const Parameters& p) -> std::unique_ptr<Component> {
    Definition d = source->made(p);
    if (!d.not_loaded.empty()) return without_code(d);
    return std::make_unique<Mechanism>(std::move(d));
  };
  type.scene = [source](const Parameters& p) { return scene_of(source->made(p)); };
  return type;
}

void add_to(Catalogue& c, const std::shared_ptr<NativeCode>& code) {
  c.add(DocumentKind{
      .root = "mechanism",
      .summary = "bodies, beams and joints that may close loops",
      .instance = InstanceKind::component,
      .read =
          [code](std::string content, const DocumentFile& file, Diagnostics& problems) {
            const auto source = parse_source(std::move(content), file, problems, code);
            return source ? type_of(source) : Type{};
          },
      .alone = parse_alone});
}

}  // namespace vernier::multibody_loops
