#pragma once

#include <string>
#include <vector>

#include "vernier/gateway/fom/model.hpp"

namespace vernier::fom {

/// The first thing in which two definitions of one name differ in meaning, as "order is TimeStamp,
/// was Receive" (`now`, then `was`); empty when they mean the same. Semantics, notes and other
/// words for people do not count. Of classes their own members are not compared.
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

/// Everything in which two models differ in meaning, one line each, wherever in them it stands.
std::vector<std::string> differences(const Model& was, const Model& now);

/// "3", "Dynamic", "[2..5]", "3, 3".
std::string cardinality(const Array&);
/// "A", "[A .. C], E".
std::string enumerators(const Alternative&);

}  // namespace vernier::fom
