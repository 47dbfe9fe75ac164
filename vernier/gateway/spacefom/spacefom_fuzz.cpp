// Arbitrary federate documents and attribute values: reading stays within bounds. Nothing is opened
// except FOM modules that the document names, of which there are none here.
#include <cstddef>
#include <cstdint>
#include <string>

#include "vernier/base/require.hpp"
#include "vernier/gateway/fom/merge.hpp"
#include "vernier/gateway/fom/reader.hpp"
#include "vernier/gateway/spacefom/document.hpp"

namespace {

/// Values of variable-size types: a value that was decoded encodes to the same bytes.
void read_values(std::span<const std::byte> bytes) {
  using namespace vernier;
  static const std::vector<spacefom::Flat> types = [] {
    Diagnostics problems;
    const auto array = [](const char* name, const char* element) {
      return "<arrayData><name>" + std::string(name) + "</name><dataType>" + element +
             "</dataType><cardinality>Dynamic</cardinality><encoding>HLAvariableArray</encoding>"
             "</arrayData>";
    };
    const auto module = fom::parse_module(
        "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\"><dataTypes>"
        "<arrayDataTypes>" +
            array("Names", "HLAunicodeString") + array("Cells", "Cell") +
            "</arrayDataTypes><fixedRecordDataTypes><fixedRecordData><name>Cell</name>"
            "<encoding>HLAfixedRecord</encoding>"
            "<field><name>a</name><dataType>HLAoctet</dataType></field>"
            "<field><name>b</name><dataType>HLAinteger64LE</dataType></field>"
            "<field><name>c</name><dataType>HLAASCIIstring</dataType></field>"
            "</fixedRecordData></fixedRecordDataTypes></dataTypes></objectModel>",
        "fuzz.xml", problems);
    const auto f = fom::merge({&*module, 1}, fom::standard_mim(), problems);
    std::vector<spacefom::Flat> all;
    for (const char* name : {"HLAunicodeString", "Names", "Cells"})
      all.push_back(*spacefom::flattened(*f, name, "", 5));
    return all;
  }();
  for (const spacefom::Flat& type : types) {
    std::vector<double> values(type.numbers.size());
    if (spacefom::read_flat(type, bytes, values) != spacefom::Unread::no) continue;
    std::vector<std::byte> room(type.bytes);
    require(spacefom::write_flat(type, values, room) == bytes.size());
    std::vector<double> again(values.size());
    require(spacefom::read_flat(type, std::span(room).first(bytes.size()), again) ==
                spacefom::Unread::no &&
            again == values);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto bytes = std::as_bytes(std::span(data, size));
  static_cast<void>(spacefom::read_state(bytes, frames::WireAttitude::parent_to_own));
  if (const auto s = spacefom::read_string(bytes))
    require(spacefom::narrow(spacefom::wide(*s)) == *s);
  static_cast<void>(spacefom::read_mode(bytes));
  read_values(bytes);
  if (text.find("<module") != std::string::npos) return 0;
  Diagnostics problems;
  const auto document = spacefom::parse_federate(text, "fuzz.xml", problems);
  require((problems.errors() == 0) == document.has_value());
  require(!rendered(problems, 1000).empty() || document);
  if (document) require(!spacefom::summary(*document).empty());
  return 0;
}
