#include "vernier/model/mechanism/reader.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/document/report.hpp"
#include "vernier/model/mechanism/detail/builder.hpp"
#include "vernier/model/mechanism/mechanism.hpp"

namespace vernier::embedded {
std::string_view mechanism(std::string_view file) noexcept;
}

namespace vernier::mechanism {
namespace {

using document::Document;

class DocumentSource final : public Source {
 public:
  DocumentSource(Document d, Diagnostics& problems) : document_(std::move(d)) {
    const document::Element& root = document_.root();
    name_ = trimmed(root.value("name"));
    if (const document::Element* e = root.child("description")) {
      const std::string_view text = trimmed(e->text);
      summary_ = trimmed(text.substr(0, text.find('\n')));
    }
    Diagnostics found, of_files;
    document::Report report(document_, found);
    detail::Builder builder(document_, report, found, of_files, nullptr);
    static_cast<void>(builder.run());
    specs_ = builder.specs();
    files_ = builder.files();
    // references are looked at after what they refer to; people read from the top
    std::vector<Diagnostic> sorted = found.list();
    std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
      return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
    });
    problems.append(of_files);
    for (Diagnostic& one : sorted) problems.add(std::move(one));
  }

  const std::string& name() const noexcept override { return name_; }
  const std::string& summary() const noexcept override { return summary_; }
  const std::vector<ParameterSpec>& parameters() const noexcept override { return specs_; }
  std::vector<std::filesystem::path> files() const override {
    return {files_.begin(), files_.end()};
  }

  Definition made(const Parameters& p) const override {
    Diagnostics found, of_files;
    document::Report report(document_, found);
    detail::Builder builder(document_, report, found, of_files, &p);
    Definition d = builder.run();
    of_files.append(found);
    if (of_files.errors() == 0) return d;
    // the document was good as it stands: says what was set
    std::vector<std::string> set;
    for (const ParameterSpec& spec : specs_) {
      if (p.given(spec.name)) set.push_back(spec.name);
    }
    Diagnostics all;
    for (const Diagnostic& one : of_files.list()) {
      all.add(one).notes.push_back("with what is set for \"" + p.instance() +
                                   "\": " + document::listed(set));
    }
    throw ConfigurationError(all);
  }

 private:
  Document document_;
  std::string name_, summary_;
  std::vector<ParameterSpec> specs_;
  std::set<std::filesystem::path> files_;
};

Type read_type(const std::filesystem::path& path, Diagnostics& problems) {
  const std::shared_ptr<const Source> source = read_source(path, problems);
  return source ? type_of(source) : Type{};
}

}  // namespace

document::Grammar grammar() {
  return {"mechanism", "constrained.dtd",
          embedded::mechanism("formats/constrained/constrained.dtd")};
}

std::shared_ptr<const Source> read_source(const std::filesystem::path& path,
                                          Diagnostics& problems) {
  const std::array grammars{grammar()};
  return document::made_of<DocumentSource>(document::read(path, grammars, problems), problems);
}

std::shared_ptr<const Source> parse_source(std::string content, const std::filesystem::path& name,
                                           Diagnostics& problems) {
  const std::array grammars{grammar()};
  return document::made_of<DocumentSource>(
      document::parse(std::move(content), name, grammars, problems), problems);
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

void add_to(Catalogue& c) { c.add_document("mechanism", read_type); }

}  // namespace vernier::mechanism
