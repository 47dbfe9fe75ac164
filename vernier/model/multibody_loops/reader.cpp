#include "vernier/model/multibody_loops/reader.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/document/report.hpp"
#include "vernier/model/multibody_loops/detail/builder.hpp"
#include "vernier/model/multibody_loops/mechanism.hpp"
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
  DocumentSource(Document d, Diagnostics& problems)
      : document_(std::move(d)), title_(multibody_tree::title_of(document_)) {
    Diagnostics of_files;
    document::Report report(document_, found_);
    detail::Builder builder(document_, report, found_, of_files, nullptr);
    alone_ = builder.run().alone;
    specs_ = builder.specs();
    files_ = builder.files();
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
    detail::Builder builder(document_, report, found, of_files, &p);
    Definition d = builder.run();
    of_files.append(found);
    multibody_tree::report_set(of_files, found_, p, specs_);
    return d;
  }

 private:
  Document document_;
  multibody_tree::Title title_;
  std::vector<ParameterSpec> specs_;
  Diagnostics found_;  // in the document and in its files, without parameters
  std::set<std::filesystem::path> files_;
  Alone alone_;
};

Type parse_type(std::string content, const std::filesystem::path& file, Diagnostics& problems) {
  const std::shared_ptr<const Source> source = parse_source(std::move(content), file, problems);
  return source ? type_of(source) : Type{};
}

Alone parse_alone(std::string content, const std::filesystem::path& file) {
  Diagnostics problems;  // parse_type reports them
  const std::shared_ptr<const Source> source = parse_source(std::move(content), file, problems);
  return source ? source->alone() : Alone{};
}

}  // namespace

document::Grammar grammar() {
  return {"mechanism", "constrained.dtd",
          embedded::multibody_loops("formats/constrained/constrained.dtd")};
}

std::shared_ptr<const Source> read_source(const std::filesystem::path& path,
                                          Diagnostics& problems) {
  return document::read_as<DocumentSource>(path, grammar(), problems);
}

std::shared_ptr<const Source> parse_source(std::string content, const std::filesystem::path& name,
                                           Diagnostics& problems) {
  return document::parse_as<DocumentSource>(std::move(content), name, grammar(), problems);
}

Type type_of(const std::shared_ptr<const Source>& source) {
  Type type;
  type.name = source->name();
  type.summary = source->summary();
  type.parameters = source->parameters();
  type.files = source->files();
  type.component = [source](const Parameters& p) {
    return std::make_unique<Mechanism>(source->made(p));
  };
  return type;
}

void add_to(Catalogue& c) {
  c.add(DocumentKind{.root = "mechanism",
                     .summary = "bodies, beams and joints that may close loops",
                     .instance = InstanceKind::component,
                     .read = parse_type,
                     .alone = parse_alone});
}

}  // namespace vernier::multibody_loops
