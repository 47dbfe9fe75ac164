#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "vernier/base/text.hpp"
#include "vernier/document/document.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/composition/detail/members.hpp"
#include "vernier/run/composition/detail/page.hpp"
#include "vernier/run/composition/detail/values.hpp"
#include "vernier/run/composition/sources.hpp"

namespace vernier::embedded {
std::string_view composition(std::string_view file) noexcept;
}

namespace vernier::composition {
namespace {

constexpr std::size_t nesting_limit = 16;
constexpr std::size_t instance_limit = 100'000;

document::Grammar grammar() {
  return {detail::composition_root, "interconnection.dtd",
          embedded::composition("formats/interconnection/interconnection.dtd")};
}

/// Reads one document and the documents nested in it.
class Reader {
 public:
  Reader(Sources& sources, Diagnostics& problems) : sources_(sources), problems_(problems) {}

  struct Read {
    Composition composition;
    std::vector<Export> inner_exports;
  };

  /// Nothing when the document cannot be used at all; problems are reported in any case.
  std::optional<Read> read(const std::filesystem::path& file, const RunSettings* outer) {
    const auto [entry, fresh] = pages_.try_emplace(file);
    if (fresh) {
      if (const std::string* content = sources_.content(file, problems_))
        entry->second = parsed(*content, file);
    }
    if (!entry->second) return {};
    return read(*entry->second, file, outer);
  }

  std::optional<Read> parse(std::string content, const std::filesystem::path& name) {
    const auto document = parsed(std::move(content), name);
    if (!document) return {};
    return read(*document, name, nullptr);
  }

 private:
  std::optional<document::Document> parsed(std::string content,
                                           const std::filesystem::path& name) const {
    const document::Grammar known = grammar();
    return document::parse(std::move(content), name, std::span(&known, 1), problems_);
  }

  Read read(const document::Document& text, const std::filesystem::path& file,
            const RunSettings* outer) {
    stack_.push_back(std::filesystem::weakly_canonical(file));
    detail::Page page{.document = text, .problems = problems_, .moved = &sources_.moved()};
    const document::Element& root = text.root();
    Composition& c = page.composition;
    c.name = trimmed(root.value("name"));
    c.file = file;
    c.documents = {file};
    if (outer) {
      c.run = *outer;
    } else {
      detail::read_settings(page, root);
    }
    check_version(page, root);
    if (const document::Element* said = root.child("description"))
      c.description = joined_words(said->text);
    detail::read_instances(page, root);
    for (const document::Element& e : root.children) {
      if (e.name == "composition") nest(page, e);
    }
    for (const Instance& i : c.instances) {
      if (!i.file.empty()) add_document(c, i.file);
    }
    detail::read_wiring(page, root);
    detail::join_nested(page);
    if (!outer) detail::read_observations(page, root);
    stack_.pop_back();
    return Read{std::move(page.composition), std::move(page.inner_exports)};
  }

  static std::string joined_words(std::string_view text) {
    std::vector<std::string> list;
    for (const std::string_view w : words(text)) list.emplace_back(w);
    return joined(list, " ");
  }

  static void add_document(Composition& c, const std::filesystem::path& file) {
    if (std::find(c.documents.begin(), c.documents.end(), file) == c.documents.end())
      c.documents.push_back(file);
  }

  static void check_version(detail::Page& page, const document::Element& root) {
    const std::string_view version = trimmed(root.value("version", "1"));
    if (version == "1") return;
    page.error("V2001",
               fmt::format("this document has version {}; this program reads version 1", version),
               page.value_place(root, "version"))
        .mark = "write version=\"1\"";
  }

  void nest(detail::Page& page, const document::Element& e) {
    const std::string id = detail::name_of(page, e, "id");
    const std::filesystem::path file = detail::file_of(page, e);
    const std::string node = detail::node_of(page, e);
    if (page.nested_by_id.contains(id) || page.instances.contains(id)) {
      page.ambiguous = true;
      page.error("V2002", fmt::format("there are two instances named \"{}\"", id),
                 page.value_place(e, "id"));
      return;
    }
    if (file.empty()) return;
    if (std::find(stack_.begin(), stack_.end(), std::filesystem::weakly_canonical(file)) !=
        stack_.end()) {
      page.error("V2008",
                 fmt::format("the composition \"{}\" contains itself", file.filename().string()),
                 page.value_place(e, "file"));
      return;
    }
    if (stack_.size() >= nesting_limit) {
      page.error("V2018", fmt::format("compositions are nested more than {} deep", nesting_limit),
                 page.value_place(e, "file"));
      return;
    }
    auto inner = read(file, &page.composition.run);
    if (!inner) return;
    instances_ += inner->composition.instances.size();
    if (instances_ > instance_limit) {
      page.error("V2018", fmt::format("there are more than {} instances", instance_limit),
                 page.value_place(e, "file"));
      // stop here: the same document would be read again and again
      throw ConfigurationError(problems_);
    }
    for (const std::filesystem::path& d : inner->composition.documents)
      add_document(page.composition, d);
    detail::take_in(page, id, node, std::move(inner->composition), std::move(inner->inner_exports));
  }

  Sources& sources_;
  Diagnostics& problems_;
  // by name: a document nested many times is parsed, and reported, once
  std::map<std::filesystem::path, std::optional<document::Document>> pages_;
  std::vector<std::filesystem::path> stack_;
  std::size_t instances_ = 0;
};

/// The problems sorted by document and line.
Diagnostics in_document_order(const Diagnostics& problems) {
  std::vector<Diagnostic> list = problems.list();
  std::unordered_map<std::string, std::size_t> files;
  for (const Diagnostic& d : list) files.try_emplace(d.place.file, files.size());
  std::stable_sort(list.begin(), list.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    return std::tuple(files[a.place.file], a.place.line, a.place.column) <
           std::tuple(files[b.place.file], b.place.line, b.place.column);
  });
  Diagnostics sorted;
  for (Diagnostic& d : list) sorted.add(std::move(d));
  return sorted;
}

/// A name derived from a file name: invalid characters become _.
std::string name_from(const std::filesystem::path& file) {
  std::string name = file.stem().string();
  for (char& c : name) {
    if (!detail::is_name(std::string{'a', c})) c = '_';
  }
  return detail::is_name(name) ? name : "_" + name;
}

/// A single model, run long enough to show its behaviour.
Composition composition_of_one(const std::filesystem::path& file, InstanceKind kind) {
  Composition c;
  c.name = name_from(file);
  c.file = file;
  c.documents = {file};
  Instance only;
  only.kind = kind;
  only.name = c.name == "ext" || c.name == "run" ? "_" + c.name : c.name;
  only.file = file;
  only.place = {.file = file.string()};
  c.instances.push_back(std::move(only));
  c.run.stop = std::chrono::seconds(10);
  c.run.step = std::chrono::milliseconds(10);
  return c;
}

/// Whether a root element is a composition. Misspelt and unknown ones count as one: its reader has
/// the better messages.
bool is_composition(const std::string& root, const Catalogue& catalogue) {
  std::vector<std::string> roots{std::string(detail::composition_root)};
  for (const auto& [name, kind] : catalogue.documents()) roots.push_back(name);
  return root.empty() || closest(root, roots) == detail::composition_root;
}

/// Without any <record>, everything is recorded.
Composition recorded(Composition c) {
  if (c.records.empty()) c.records.push_back({.signals = "*", .rate = {}, .place = {}});
  return c;
}

Composition usable(std::optional<Reader::Read> read, std::shared_ptr<Sources> sources,
                   const Diagnostics& found, const std::filesystem::path& file,
                   Diagnostics& warnings) {
  const Diagnostics problems = in_document_order(found);
  problems.throw_if_errors();
  if (!read) {
    throw ConfigurationError("V2001", "the document could not be read", {.file = file.string()});
  }
  warnings.append(problems);
  read->composition.sources = std::move(sources);
  return recorded(std::move(read->composition));
}

}  // namespace

Composition read_composition(const std::filesystem::path& file, const Catalogue& catalogue,
                             Diagnostics& warnings, std::shared_ptr<Sources> sources) {
  if (!sources) sources = std::make_shared<Sources>();
  Diagnostics problems;
  const std::string* content = sources->content(file, problems);
  problems.throw_if_errors();
  const std::string root = document::root_element(*content);
  if (const DocumentKind* kind = catalogue.document(root)) {
    Composition c = recorded(composition_of_one(file, kind->instance));
    const Alone alone =
        kind->alone ? kind->alone(*content, {file, sources->shared_moved()}) : Alone{};
    c.run.stop = alone.stop.value_or(c.run.stop);
    c.run.step = alone.step.value_or(c.run.step);
    c.sources = std::move(sources);
    return c;
  }
  if (!is_composition(root, catalogue)) {
    detail::report_kind(file, root, {.file = file.string()}, catalogue, problems);
    throw ConfigurationError(std::move(problems));
  }
  auto read = Reader(*sources, problems).read(file, nullptr);
  return usable(std::move(read), std::move(sources), problems, file, warnings);
}

Composition parse_composition(std::string content, const std::filesystem::path& name,
                              Diagnostics& warnings) {
  auto sources = std::make_shared<Sources>();
  Diagnostics problems;
  auto read = Reader(*sources, problems).parse(std::move(content), name);
  return usable(std::move(read), std::move(sources), problems, name, warnings);
}

}  // namespace vernier::composition
