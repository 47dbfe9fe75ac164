#pragma once

#include <string>
#include <vector>

#include "vernier/gateway/fom/model.hpp"

namespace vernier::fom {

/// The first difference in meaning between two definitions of the same name, as "order is
/// TimeStamp, was Receive" (`now`, then `was`); empty when they are equivalent. Semantics, notes
/// and other free text are ignored. For classes, their attributes or parameters are not compared.
std::string difference(const ObjectClass& was, const ObjectClass& now);
std::string difference(const InteractionClass& was, const InteractionClass& now);
std::string difference(const Attribute& was, const Attribute& now);
std::string difference(const Parameter& was, const Parameter& now);
std::string difference(const Dimension& was, const Dimension& now);
std::string difference(const Transportation& was, const Transportation& now);
std::string difference(const UpdateRate& was, const UpdateRate& now);
std::string difference(const Synchronization& was, const Synchronization& now);
std::string difference(const Use& was, const Use& now);
std::string difference(const DataType& was, const DataType& now);
std::string difference(const Switches& was, const Switches& now);

/// All differences in meaning between two models, one line each, regardless of their order.
std::vector<std::string> differences(const Model& was, const Model& now);

/// "3", "Dynamic", "[2..5]", "3, 3".
std::string cardinality(const Array&);
/// "A", "[A .. C], E".
std::string enumerators(const Alternative&);

}  // namespace vernier::fom
