#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vernier/document/document.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/composition/detail/values.hpp"

namespace vernier::composition::detail {

/// The root element of a composition.
inline constexpr std::string_view composition_root = "interconnection";

/// A composition inside the one being read: its instances are already included; what remains is how
/// its inputs are driven and what its exports refer to.
struct Nested {
  std::string id;
  std::vector<ExternalInput> inputs;
  std::vector<Export> exports;          // from: path names of the outer composition
  std::vector<Connection> from_inputs;  // from.port: an input's name; to: as above
};

/// A connection that ends at an input of a nested composition.
struct Drive {
  std::size_t nested, input;  // indices
  Connection connection;      // `to` has the elements of that input
};

/// One interconnection document while it is being read.
struct Page {
  const document::Document& document;
  Diagnostics& problems;
  const MovedFiles* moved = nullptr;  // where files are that it names, if not there
  Composition composition = {};
  std::vector<Nested> nested = {};
  std::vector<Export> inner_exports = {};  // of nested ones, for the enclosing page
  std::unordered_map<std::string, std::size_t> instances = {};  // by path
  std::unordered_map<std::string, std::size_t> nested_by_id = {};
  std::vector<Drive> drives = {};
  bool ambiguous = false;  // two instances share a name: others may be missing for that

  /// Reports a problem at a place of this document, with its source line.
  Diagnostic& error(std::string code, std::string message, const Place&);
  /// The place of an attribute's whole value; that of the element if the attribute is absent.
  Place value_place(const document::Element&, std::string_view attribute) const;

  /// Adds an instance, or reports that the name is in use.
  void add_instance(Instance);
};

/// What an endpoint may refer to.
enum class Side {
  source,  // an output: of an instance, of the composition's inputs (ext.u), or an export's
  sink,    // an input of an instance or of a nested composition
  signal   // anything with a value; a single word is an export or an input of the composition
};

/// The element run, of the outermost document only: islands inherit settings they do not give.
void read_settings(Page&, const document::Element& root);
/// Everything that the composition contains: instances, islands, inputs.
void read_instances(Page&, const document::Element& root);
/// Structural elements that refer to endpoints: connect, eventmap, export, set. Called after all
/// instances, including nested ones, are known.
void read_wiring(Page&, const document::Element& root);
/// stimulus, record, report, check, figure, of the outermost document only.
void read_observations(Page&, const document::Element& root);

/// The name in an attribute; reports an invalid one.
std::string name_of(Page&, const document::Element&, std::string_view attribute);
/// The file named by the attribute `file`, relative to the document; reports a missing one and
/// returns an empty path.
std::filesystem::path file_of(Page&, const document::Element&);
/// The attribute node, or its synonym host.
std::string node_of(Page&, const document::Element&);

/// Resolves an endpoint written in an attribute; reports an unknown one and returns nothing. A sink
/// in a nested composition has its id as the instance, and `input` set.
struct Found {
  Endpoint end;
  std::optional<std::pair<std::size_t, std::size_t>> input = {};  // nested, its input
};
std::optional<Found> find_end(Page&, const document::Element&, std::string_view attribute, Side);

/// Replaces connections to and from the inputs of nested compositions by direct connections; an
/// input, or a part of it, that nothing drives becomes one of the outer composition ("bus.u").
void join_nested(Page&);

/// Includes a composition read from another document under the name `id`.
void take_in(Page&, const std::string& id, const std::string& node, Composition inner,
             std::vector<Export> inner_exports);

/// The instance whose path is the longest prefix of `path`; `rest` becomes what follows the dot.
const std::size_t* longest_prefix(const std::unordered_map<std::string, std::size_t>&,
                                  std::string_view path, std::string_view& rest);

/// Numbers of an attribute; reports V2013 or V2005 and returns `otherwise` when they are invalid.
double positive(Page&, const document::Element&, std::string_view attribute, double otherwise);
Duration duration(Page&, const document::Element&, std::string_view attribute, Duration otherwise);
/// The same for a period, which may also be given as a rate: "72 Hz".
Period period(Page&, const document::Element&, std::string_view attribute, const Period& otherwise);
Rate rate(Page&, const document::Element&, std::string_view attribute);
double quantity(Page&, const document::Element&, std::string_view attribute, double otherwise);

/// Adds a note that says why, unless there is nothing to say.
void add_reason(Diagnostic&, std::string why);
/// What is wrong with a period of this name, and what to write instead.
std::string period_problem(std::string_view name, std::string_view text);
std::vector<std::string> period_advice(std::string_view text);

}  // namespace vernier::composition::detail
