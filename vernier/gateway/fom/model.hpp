#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/fom/layout.hpp"

namespace vernier::document {
class Document;
}

/// Object models of HLA (IEEE 1516.2-2010): the data that a federation exchanges.
namespace vernier::fom {

enum class Sharing { neither, publish, subscribe, publish_subscribe };
enum class Order { receive, time_stamp };
enum class UpdateType { none, fixed, periodic, conditional };
enum class Ownership { no_transfer, divest, acquire, divest_acquire };
enum class Capability { none, register_only, achieve, register_achieve };
enum class ResignAction {
  unconditionally_divest_attributes,
  delete_objects,
  cancel_pending_ownership_acquisitions,
  delete_objects_then_divest,
  cancel_then_delete_then_divest,
  no_action
};

/// A name that refers to a definition elsewhere; empty or "NA" means none.
struct Reference {
  std::string name;
  Place place;
  bool given() const noexcept { return !name.empty() && name != "NA"; }
};

/// The fields that every definition has.
struct Entry {
  std::string name;
  Place place;  // of the name
  std::string semantics;
  std::vector<Reference> notes;  // labels
  int module = 0;                // in a Fom: the module that defined it, an index into Fom::modules
};

/// Classes, attributes and parameters are stored in flat lists; their indices become the handles.
struct ObjectClass : Entry {
  std::string path;  // "HLAobjectRoot.PhysicalEntity"
  int parent = -1;   // always precedes the class itself
  std::optional<Sharing> sharing;
  std::vector<int> attributes;  // its own, without inherited ones
};

struct Attribute : Entry {
  int owner = 0;  // the class
  Reference data_type;
  UpdateType update = UpdateType::none;
  std::string update_condition;
  Ownership ownership = Ownership::no_transfer;
  Sharing sharing = Sharing::neither;
  std::vector<Reference> dimensions;
  Reference transportation;
  Order order = Order::receive;
};

struct InteractionClass : Entry {
  std::string path;
  int parent = -1;
  std::optional<Sharing> sharing;
  std::vector<Reference> dimensions;
  Reference transportation;     // absent: the class is only an ancestor of others
  std::optional<Order> order;   // absent together with the transportation
  std::vector<int> parameters;  // its own, without inherited ones
};

struct Parameter : Entry {
  int owner = 0;
  Reference data_type;
};

struct Dimension : Entry {
  Reference data_type;
  std::uint64_t upper_bound = 0;  // 0: not given
  std::string normalization, value;
};

struct Transportation : Entry {
  bool reliable = true;
};

struct UpdateRate : Entry {
  double rate = 0.0;  // Hz
};

/// A synchronization point; the name is its label.
struct Synchronization : Entry {
  Reference data_type;
  Capability capability = Capability::register_achieve;
};

/// The data type used for time stamps, lookahead or user-supplied tags; the name is that of the
/// element.
struct Use : Entry {
  Reference data_type;
};

/// In the order of the document; true means enabled.
struct Switches {
  static constexpr std::array<std::string_view, 10> names{"autoProvide",
                                                          "conveyRegionDesignatorSets",
                                                          "conveyProducingFederate",
                                                          "attributeScopeAdvisory",
                                                          "attributeRelevanceAdvisory",
                                                          "objectClassRelevanceAdvisory",
                                                          "interactionRelevanceAdvisory",
                                                          "serviceReporting",
                                                          "exceptionReporting",
                                                          "delaySubscriptionEvaluation"};
  std::array<bool, names.size()> enabled{};
  ResignAction resign = ResignAction::cancel_then_delete_then_divest;
  Place place;
  int module = 0;

  bool is_on(std::string_view name) const noexcept;
};

struct Basic {
  int bits = 0;
  bool little = false;
  std::string interpretation, encoding;
};
struct Simple {
  Reference representation;
  std::string units, resolution, accuracy;
};
struct Enumerator {
  std::string name;
  Place place;
  std::vector<std::int64_t> values;
};
struct Enumerated {
  Reference representation;
  std::vector<Enumerator> enumerators;
};
/// The number of elements in one dimension; without an upper bound it is dynamic.
struct Extent {
  std::uint64_t least = 0;
  std::optional<std::uint64_t> most;
};
struct Array {
  Reference element;
  std::vector<Extent> extents;  // one per dimension
  Reference encoding;  // "HLAfixedArray", "HLAvariableArray", or one that the federation agreed on
};
struct Field : Entry {
  Reference data_type;
};
struct FixedRecord {
  Reference encoding;
  std::vector<Field> fields;
};
/// Enumerators `first` to `last` in the order of their type; "HLAother" stands for all others.
struct Range {
  std::string first, last;
};
struct Alternative : Entry {
  std::vector<Range> enumerators;
  Place chosen_by;      // of the enumerators
  Reference data_type;  // none: nothing follows the discriminant
};
struct VariantRecord {
  std::string discriminant;
  Reference discriminant_type;
  std::vector<Alternative> alternatives;
  Reference encoding;
};

struct DataType : Entry {
  std::variant<Basic, Simple, Enumerated, Array, FixedRecord, VariantRecord> definition;
};
/// "basic", "simple", "enumerated", "array", "fixed record", "variant record".
std::string_view kind(const DataType&) noexcept;

struct Note {
  std::string label, text;
  Place place;
};

/// Who made a model and for what purpose; the elements of the document, in its order.
struct Identification {
  std::string name, version, date, purpose;
  /// All elements as path and text: "poc/pocName".
  std::vector<std::pair<std::string, std::string>> elements;
};

/// The tables of an object model.
struct Model {
  std::vector<ObjectClass> object_classes;
  std::vector<Attribute> attributes;
  std::vector<InteractionClass> interaction_classes;
  std::vector<Parameter> parameters;
  std::vector<Dimension> dimensions;
  std::vector<Use> times;  // "timeStamp", "lookahead"
  std::vector<Use> tags;   // "updateReflectTag", …
  std::vector<Synchronization> synchronizations;
  std::vector<Transportation> transportations;
  std::optional<Switches> switches;
  std::vector<UpdateRate> update_rates;
  std::vector<DataType> data_types;
  std::vector<Note> notes;
};

/// One document, consistent in itself; it may refer to names in other modules.
struct Module : Model {
  std::string file;
  Identification identification;
  std::shared_ptr<const document::Document> source;  // to quote source lines in messages
};

/// Merged modules with every name resolved. The first module is the MIM.
///
/// Order: definitions of an earlier module precede those that a later one adds, each in the order
/// of its document (a class before its children). So an index stays valid in every larger FOM that
/// begins with the same modules: joining with one more module only appends.
class Fom : public Model {
 public:
  struct Origin {
    std::string file;
    Identification identification;
  };
  std::vector<Origin> modules;
  std::vector<Layout> layouts;  // of data_types

  /// Looks up a path, with or without "HLAobjectRoot."; nothing when there is none.
  std::optional<int> object_class(std::string_view path) const;
  std::optional<int> interaction_class(std::string_view path) const;
  /// Looks up an attribute of the class, its own or inherited.
  std::optional<int> attribute(int object_class, std::string_view name) const;
  std::optional<int> parameter(int interaction_class, std::string_view name) const;
  std::optional<int> data_type(std::string_view name) const;
  std::optional<int> dimension(std::string_view name) const;
  std::optional<int> transportation(std::string_view name) const;

  /// Own and inherited attributes; inherited ones first, from the root down.
  std::vector<int> all_attributes(int object_class) const;
  std::vector<int> all_parameters(int interaction_class) const;

 private:
  friend class Merger;
  using Index = std::map<std::string, int, std::less<>>;
  Index object_paths_, interaction_paths_, type_names_, dimension_names_, transportation_names_;
};

}  // namespace vernier::fom
