#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "vernier/gateway/fom/compare.hpp"
#include "vernier/gateway/fom/decode.hpp"
#include "vernier/gateway/fom/merge.hpp"
#include "vernier/gateway/fom/reader.hpp"
#include "vernier/gateway/fom/writer.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::fom {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::filesystem::path format = VERNIER_SOURCE_DIR "/formats/spacefom";

std::vector<Module> spacefom() {
  std::vector<Module> all;
  for (const std::string& name : spacefom_modules()) all.push_back(*built_in(name));
  return all;
}

Fom merged(const std::vector<Module>& modules) {
  Diagnostics problems;
  auto fom = merge(modules, standard_mim(), problems);
  EXPECT_TRUE(fom) << rendered(problems);
  return fom ? std::move(*fom) : Fom{};
}

Module parsed(const std::string& inside, const std::string& name = "test.xml") {
  Diagnostics problems;
  auto m = parse_module(
      "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">" + inside + "</objectModel>",
      name, problems);
  EXPECT_TRUE(m) << rendered(problems);
  return m ? std::move(*m) : Module{};
}

const std::string switches = "<switches><autoProvide isEnabled=\"true\"/></switches>";

std::string attribute(const std::string& name, const std::string& type = "HLAfloat64LE") {
  return "<attribute><name>" + name + "</name><dataType>" + type +
         "</dataType><transportation>HLAreliable</transportation><order>Receive</order>"
         "</attribute>";
}
/// An object class below the root.
std::string object(const std::string& inside) {
  return "<objects><objectClass><name>HLAobjectRoot</name><objectClass>" + inside +
         "</objectClass></objectClass></objects>";
}
std::string interaction(const std::string& inside) {
  return "<interactions><interactionClass><name>HLAinteractionRoot</name><interactionClass>" +
         inside + "</interactionClass></interactionClass></interactions>";
}

/// The problems that merging reports; empty when it succeeds.
std::string refusal(const std::vector<Module>& modules) {
  Diagnostics problems;
  return merge(modules, standard_mim(), problems) ? "" : rendered(problems);
}

const Layout& layout(const Fom& f, std::string_view type) {
  return f.layouts.at(static_cast<std::size_t>(f.data_type(type).value()));
}

TEST(Mim, HasWhatTheStandardLists) {
  const Fom mim = merged({});
  // IEEE 1516.1-2010, clause 11: the Management Object Model
  const int federate = mim.object_class("HLAmanager.HLAfederate").value();
  EXPECT_EQ(mim.object_classes[static_cast<std::size_t>(federate)].attributes.size(), 32u);
  EXPECT_EQ(mim.all_attributes(federate).size(), 33u);  // HLAprivilegeToDeleteObject is inherited
  const int federation = mim.object_class("HLAmanager.HLAfederation").value();
  EXPECT_EQ(mim.object_classes[static_cast<std::size_t>(federation)].attributes.size(), 12u);
  const int lost =
      mim.interaction_class("HLAmanager.HLAfederate.HLAreport.HLAreportFederateLost").value();
  EXPECT_EQ(mim.all_parameters(lost).size(), 4u);  // HLAfederate is inherited
  // 74 leaf classes, plus the root, HLAmanager, its two branches and their seven groups
  EXPECT_EQ(mim.interaction_classes.size(), 74u + 1u + 1u + 2u + 7u);
  EXPECT_EQ(mim.transportations.size(), 2u);
  EXPECT_EQ(layout(mim, "HLAtoken").bytes, 0u);
  EXPECT_EQ(layout(mim, "HLAinteger64Time").bytes, 8u);
  EXPECT_EQ(layout(mim, "HLAunicodeString").bytes, std::nullopt);
  EXPECT_EQ(layout(mim, "HLAunicodeString").boundary, 4u);
}

TEST(SpaceFom, HasTheSizesOfTheStandard) {
  const Fom f = merged(spacefom());
  // SISO-STD-018-2020: all records consist of 64-bit floats, so there is no padding
  for (const auto& [type, bytes] :
       std::vector<std::pair<std::string_view, std::size_t>>{{"PositionVector", 24},
                                                             {"Matrix", 72},
                                                             {"AttitudeQuaternion", 32},
                                                             {"ReferenceFrameTranslation", 48},
                                                             {"ReferenceFrameRotation", 56},
                                                             {"SpaceTimeCoordinateState", 112},
                                                             {"ExecutionMode", 2}}) {
    EXPECT_EQ(layout(f, type).bytes, bytes) << type;
  }
  EXPECT_EQ(layout(f, "SpaceTimeCoordinateState").boundary, 8u);
  EXPECT_EQ(f.synchronizations.size(), 7u);
  EXPECT_FALSE(f.switches->is_on("autoProvide"));
  const int dynamical = f.object_class("PhysicalEntity.DynamicalEntity").value();
  EXPECT_EQ(f.all_attributes(dynamical).size(), 1u + 9u + 6u);
  EXPECT_TRUE(f.attribute(dynamical, "state"));  // inherited
  EXPECT_FALSE(f.attribute(f.object_class("PhysicalEntity").value(), "force"));
}

/// Compares every class and data type with the official modules, if they are installed.
TEST(SpaceFom, MeansWhatTheOfficialModulesMean) {
  const char* folder = std::getenv("VERNIER_SPACEFOM");
  std::vector<Module> all = spacefom();
  if (folder && *folder) {
    for (const Module& ours : spacefom()) {
      Diagnostics problems;
      const auto theirs = read_module(std::filesystem::path(folder) / ours.file, problems);
      ASSERT_TRUE(theirs) << rendered(problems);
      EXPECT_TRUE(problems.list().empty()) << rendered(problems);
      EXPECT_THAT(differences(*theirs, ours), IsEmpty()) << ours.file;
      all.push_back(*theirs);
    }
  }
  // equivalent definitions merge, so federates may supply either set of modules
  const std::size_t ours = merged(spacefom()).object_classes.size();
  EXPECT_EQ(merged(all).object_classes.size(), ours);
}

TEST(Merge, KeepsIndicesWhenModulesAreAdded) {
  std::vector<Module> modules = spacefom();
  const Fom before = merged(modules);
  modules.push_back(
      parsed(object("<name>PhysicalEntity</name><objectClass><name>Tug</name>"
                    "<sharing>PublishSubscribe</sharing>" +
                    attribute("pull") + "</objectClass>") +
             interaction("<name>Hail</name><transportation>HLAbestEffort</transportation>"
                         "<order>Receive</order>")));
  const Fom after = merged(modules);
  for (std::size_t i = 0; i < before.object_classes.size(); ++i)
    EXPECT_EQ(before.object_classes[i].path, after.object_classes[i].path);
  for (std::size_t i = 0; i < before.attributes.size(); ++i)
    EXPECT_EQ(before.attributes[i].name, after.attributes[i].name);
  for (std::size_t i = 0; i < before.data_types.size(); ++i)
    EXPECT_EQ(before.data_types[i].name, after.data_types[i].name);
  EXPECT_EQ(after.object_class("PhysicalEntity.Tug"),
            static_cast<int>(before.object_classes.size()));
  EXPECT_EQ(after.interaction_class("HLAinteractionRoot.Hail"),
            static_cast<int>(before.interaction_classes.size()));
  for (std::size_t i = 1; i < after.object_classes.size(); ++i)
    EXPECT_LT(after.object_classes[i].parent, static_cast<int>(i));
}

TEST(Merge, TakesAClassThatIsNamedFirstAndDefinedLater) {
  const Module extension = parsed(object("<name>Ship</name><objectClass><name>Tug</name>"
                                         "<sharing>Neither</sharing></objectClass>") +
                                      switches,
                                  "extension.xml");
  const Module base =
      parsed(object("<name>Ship</name><sharing>PublishSubscribe</sharing>" + attribute("speed")),
             "base.xml");
  for (const auto& order : {std::vector{extension, base}, std::vector{base, extension}}) {
    const Fom f = merged(order);
    const int tug = f.object_class("Ship.Tug").value();
    EXPECT_TRUE(f.attribute(tug, "speed"));
    const auto& ship = f.object_classes[static_cast<std::size_t>(f.object_class("Ship").value())];
    EXPECT_EQ(ship.place.file, "base.xml");
  }
}

TEST(Merge, AcceptsEqualDefinitionsWithOtherWords) {
  const std::string head = "<name>Ship</name><sharing>Publish</sharing>";
  const Module a = parsed(
      object(head + "<semantics>A ship.</semantics>" + attribute("speed") + attribute("mass")) +
      switches);
  const Module b = parsed(object(head + attribute("mass") + attribute("speed")) + switches);
  const Fom f = merged({a, b, a});
  EXPECT_EQ(f.attributes.size(), merged({a}).attributes.size());
}

TEST(Merge, RefusesParametersForACompleteInteraction) {
  const std::string head =
      "<name>Hit</name><transportation>HLAreliable</transportation><order>Receive</order>";
  const Module none = parsed(interaction(head) + switches, "none.xml");
  const Module one =
      parsed(interaction(head + "<parameter><name>where</name><dataType>HLAoctet</dataType>"
                                "</parameter>"),
             "one.xml");
  EXPECT_THAT(refusal({none, one}), HasSubstr("V1824"));
  EXPECT_THAT(refusal({one, none}), IsEmpty());  // repeated without parameters: adds nothing
  EXPECT_THAT(refusal({parsed(interaction("<name>Hit</name>") + switches), one}), IsEmpty());
}

TEST(Merge, TakesTheInheritedOneWhenAMemberIsRepeated) {
  const auto base = parsed(object("<name>Drink</name>" + attribute("cups")) + switches);
  const auto sub = [](const std::string& type) {
    return parsed(object("<name>Drink</name><objectClass><name>Soda</name>" +
                         attribute("cups", type) + attribute("flavor") + "</objectClass>"),
                  "sub.xml");
  };
  Diagnostics problems;
  const auto fom =
      merge(std::vector{base, sub("HLAfloat64LE"), sub("HLAfloat64LE")}, standard_mim(), problems);
  ASSERT_TRUE(fom) << rendered(problems);
  EXPECT_THAT(rendered(problems), HasSubstr("warning[V1803]"));
  const auto drink = fom->object_class("HLAobjectRoot.Drink"),
             soda = fom->object_class("HLAobjectRoot.Drink.Soda");
  ASSERT_TRUE(drink && soda);
  EXPECT_EQ(fom->attribute(*soda, "cups"), fom->attribute(*drink, "cups"));
  EXPECT_EQ(fom->object_classes[static_cast<std::size_t>(*soda)].attributes.size(), 1u);
  Diagnostics others;
  EXPECT_FALSE(merge(std::vector{base, sub("HLAfloat32LE")}, standard_mim(), others));
  // a class that gets the attribute after its subclass: federates may use that one already
  EXPECT_FALSE(merge(std::vector{sub("HLAfloat64LE"), base}, standard_mim(), others));
}

// warnings do not end reading: nothing of the model is missing, and no error is lost
TEST(Reader, ReadsOnAfterAHundredWarnings) {
  std::string many;
  for (int i = 0; i < 150; ++i)
    many += "<attribute><name>a" + std::to_string(i) +
            "</name><transportation>HLAreliable</transportation><order>Receive</order>"
            "</attribute>";
  const auto read = [](const std::string& inside, Diagnostics& problems) {
    return parse_module("<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">" + inside +
                            "</objectModel>",
                        "test.xml", problems);
  };
  Diagnostics problems;
  const auto m = read(object("<name>Ship</name>" + many) + switches, problems);
  ASSERT_TRUE(m);
  EXPECT_EQ(m->attributes.size(), 150u);
  EXPECT_EQ(problems.list().size(), 100u);
  Diagnostics more;
  EXPECT_FALSE(read(object("<name>Ship</name>" + many + attribute("a0")) + switches, more));
  EXPECT_EQ(more.errors(), 1u);
}

TEST(Merge, KeepsNotesOfOneLabelApart) {
  const auto with_note = [](const std::string& name, const std::string& text) {
    return parsed("<dimensions><dimension notes=\"n\"><name>" + name +
                  "</name><dataType>HLAcount</dataType></dimension></dimensions>" + switches +
                  "<notes><note><label>n</label><semantics>" + text +
                  "</semantics></note></notes>");
  };
  const Fom f = merged({with_note("A", "one"), with_note("B", "two"), with_note("C", "one")});
  ASSERT_EQ(f.notes.size(), 2u);
  const auto label = [&](std::string_view d) {
    return f.dimensions[static_cast<std::size_t>(f.dimension(d).value())].notes.at(0).name;
  };
  EXPECT_EQ(label("A"), "n");
  EXPECT_EQ(label("B"), "n_2");
  EXPECT_EQ(label("C"), "n");
}

TEST(Layout, PadsAsTheStandardSays) {
  const auto record = [](const std::string& name, const std::vector<std::string>& types) {
    std::string s = "<fixedRecordData><name>" + name + "</name><encoding>HLAfixedRecord</encoding>";
    for (std::size_t i = 0; i < types.size(); ++i)
      s += "<field><name>f" + std::to_string(i) + "</name><dataType>" + types[i] +
           "</dataType></field>";
    return s + "</fixedRecordData>";
  };
  const auto array = [](const std::string& name, const std::string& type, const std::string& n,
                        const std::string& encoding = "HLAfixedArray") {
    return "<arrayData><name>" + name + "</name><dataType>" + type + "</dataType><cardinality>" +
           n + "</cardinality><encoding>" + encoding + "</encoding></arrayData>";
  };
  const Fom f = merged({parsed(
      switches + "<dataTypes><arrayDataTypes>" + array("Pairs", "Pair", "3") +
      array("Grid", "HLAinteger16BE", "2, 3") +
      array("Open", "HLAfloat64BE", "Dynamic", "HLAvariableArray") +
      array("Own", "HLAoctet", "[8..255]", "null-terminated-array") +
      "</arrayDataTypes><fixedRecordDataTypes>" + record("Pair", {"HLAfloat64LE", "HLAoctet"}) +
      record("Mixed", {"HLAoctet", "HLAinteger32BE", "HLAoctet", "Pair"}) + record("None", {}) +
      record("Tail", {"HLAoctet", "Open"}) + "</fixedRecordDataTypes></dataTypes>")});
  // computed by hand: a field begins at a multiple of its boundary; no padding follows the last
  EXPECT_EQ(layout(f, "Pair").bytes, 9u);
  EXPECT_EQ(layout(f, "Pairs").bytes, 16u + 16u + 9u);
  EXPECT_EQ(layout(f, "Mixed").bytes, 16u + 9u);  // 0, 4, 8, then 16
  EXPECT_EQ(layout(f, "Grid").bytes, 12u);
  EXPECT_EQ(layout(f, "Grid").boundary, 2u);
  EXPECT_EQ(layout(f, "None").bytes, 0u);
  EXPECT_EQ(layout(f, "Open").boundary, 8u);
  EXPECT_EQ(layout(f, "Tail").bytes, std::nullopt);
  EXPECT_EQ(layout(f, "Tail").boundary, 8u);
  EXPECT_FALSE(layout(f, "Own").known);
}

void expect_same_when_read_back(const Fom& f, bool with_mim) {
  Diagnostics problems;
  const auto again = parse_module(written(f, "again", with_mim), "again.xml", problems);
  ASSERT_TRUE(again) << rendered(problems);
  std::vector<Module> modules;
  const auto back = with_mim ? merge(modules, *again, problems)
                             : merge(std::vector{*again}, standard_mim(), problems);
  ASSERT_TRUE(back) << rendered(problems);
  EXPECT_TRUE(problems.list().empty()) << rendered(problems);
  EXPECT_THAT(differences(f, *back), IsEmpty());
  EXPECT_EQ(f.notes.size(), back->notes.size());
  // the tables are identical; only the identification lists other modules
  const auto tables = [&](const Fom& of) {
    const std::string all = written(of, "again", with_mim);
    return all.substr(all.find("</modelIdentification>")).size();
  };
  EXPECT_EQ(tables(*back), tables(f));
}

TEST(Writer, WritesWhatReadsBackAsTheSame) {
  std::vector<Module> modules = spacefom();
  for (const bool with_mim : {false, true}) {
    expect_same_when_read_back(merged(modules), with_mim);
  }
  const auto all = testing::files(format / "good", ".xml");
  EXPECT_GE(all.size(), 1u);
  for (const auto& path : all) {
    Diagnostics problems;
    const auto m = read_module(path, problems);
    ASSERT_TRUE(m) << rendered(problems);
    modules.push_back(*m);
    expect_same_when_read_back(merged(modules), false);
  }
}

TEST(Compare, FindsEveryDifferenceOfMeaning) {
  const Module full = *built_in("SISO_SpaceFOM_management");
  const auto changed = [&](auto change) {
    Module m = full;
    change(m);
    return differences(full, m);
  };
  EXPECT_THAT(changed([](Module& m) { m.attributes[2].semantics = "other words"; }), IsEmpty());
  EXPECT_THAT(changed([](Module& m) { m.attributes[2].order = Order::time_stamp; }),
              ElementsAre("attribute HLAobjectRoot.ExecutionConfiguration.current_execution_mode: "
                          "order is TimeStamp, was Receive"));
  EXPECT_THAT(changed([](Module& m) {
                std::get<Enumerated>(m.data_types[0].definition).enumerators[1].values = {7};
              }),
              ElementsAre("data type ExecutionMode: value of EXEC_MODE_INITIALIZING is 7, was 1"));
  EXPECT_THAT(changed([](Module& m) { m.synchronizations.pop_back(); }),
              ElementsAre("synchronization point root_frame_discovered is missing"));
  EXPECT_THAT(changed([](Module& m) { m.switches = Switches{}; }),
              ElementsAre("the switches are new"));
}

/// Reads one module and merges it with the standard MIM, as `vernier federate fom check` does.
std::string said_of(const std::filesystem::path& file) {
  Diagnostics problems;
  if (const auto m = read_module(file, problems)) merge(std::vector{*m}, standard_mim(), problems);
  return rendered(problems);
}

TEST(FomFormat, AnswersEveryBadExampleWithItsMessage) {
  const auto all = testing::files(format / "bad", ".xml");
  EXPECT_GE(all.size(), 25u);
  std::filesystem::current_path(format / "bad");
  for (const auto& path : all) {
    auto expected = path;
    const std::string said = said_of(path.filename());
    EXPECT_EQ(said, testing::content(expected.replace_extension(".txt"))) << path;
    EXPECT_FALSE(said.empty()) << path;
  }
}

TEST(Reader, RefusesNamesThatGrowWithTheirNesting) {
  const std::string longest(250, 'x');
  std::string inside, after;
  for (int i = 0; i < 55; ++i) {
    inside += "<name>" + longest + "</name><objectClass>";
    after += "</objectClass>";
  }
  inside += "<name>in</name>";
  for (int i = 0; i < 1300; ++i)
    inside += "<objectClass><name>c" + std::to_string(i) + "</name></objectClass>";
  Diagnostics problems;
  EXPECT_FALSE(parse_module("<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">" +
                                object(inside + after) + "</objectModel>",
                            "test.xml", problems));
  EXPECT_THAT(rendered(problems), HasSubstr("error[V1215]: the names of the classes"));
}

TEST(Decode, ShowsValuesByTheirDataType) {
  const Fom f = merged(
      {parsed("<dataTypes>"
              "<enumeratedDataTypes><enumeratedData><name>State</name>"
              "<representation>HLAinteger16LE</representation>"
              "<enumerator><name>OFF</name><value>0</value></enumerator>"
              "<enumerator><name>ON</name><value>1</value></enumerator>"
              "<enumerator><name>LOST</name><value>2</value></enumerator></enumeratedData>"
              "</enumeratedDataTypes><arrayDataTypes><arrayData><name>Reals</name>"
              "<dataType>HLAfloat64BE</dataType><cardinality>Dynamic</cardinality>"
              "<encoding>HLAvariableArray</encoding></arrayData></arrayDataTypes>"
              "<fixedRecordDataTypes><fixedRecordData><name>Tank</name>"
              "<encoding>HLAfixedRecord</encoding>"
              "<field><name>state</name><dataType>State</dataType></field>"
              "<field><name>level</name><dataType>HLAfloat32LE</dataType></field>"
              "<field><name>name</name><dataType>HLAunicodeString</dataType></field>"
              "</fixedRecordData></fixedRecordDataTypes><variantRecordDataTypes><variantRecordData>"
              "<name>Report</name><discriminant>kind</discriminant><dataType>State</dataType>"
              "<alternative><enumerator>ON</enumerator><name>level</name>"
              "<dataType>HLAfloat64BE</dataType></alternative>"
              "<alternative><enumerator>HLAother</enumerator><name>why</name>"
              "<dataType>HLAASCIIstring</dataType></alternative>"
              "<encoding>HLAvariantRecord</encoding></variantRecordData></variantRecordDataTypes>"
              "</dataTypes>")});
  const auto said = [&](const char* type, const std::string& hex) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
      bytes.push_back(std::byte(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return decoded(f, type, bytes).value_or("none");
  };
  EXPECT_EQ(said("HLAinteger16BE", "fffe"), "-2");
  EXPECT_EQ(said("HLAboolean", "00000001"), "\"HLAtrue\"");
  EXPECT_EQ(said("HLAopaqueData", "0000000200ff"), "\"00ff\"");
  EXPECT_EQ(said("HLAunicodeString",
                 "00000003"
                 "0022"
                 "d83dde80"),
            "\"\\\"\xf0\x9f\x9a\x80\"");
  EXPECT_EQ(said("HLAASCIIstring", "00000002411b"), "\"A\\u001b\"");
  EXPECT_EQ(said("Reals",
                 "0000000200000000"
                 "3ff0000000000000"
                 "7ff0000000000000"),
            "[1, \"inf\"]");
  // padding before the float; the string begins at a multiple of four
  EXPECT_EQ(said("Tank",
                 "0100"
                 "0000"
                 "0000c03f"
                 "00000001"
                 "0041"),
            "{\"state\": \"ON\", \"level\": 1.5, \"name\": \"A\"}");
  EXPECT_EQ(said("Report",
                 "0100"
                 "000000000000"
                 "3ff0000000000000"),
            "{\"kind\": \"ON\", \"level\": 1}");
  EXPECT_EQ(said("Report",
                 "0200"
                 "000000000000"
                 "0000000141"),
            "{\"kind\": \"LOST\", \"why\": \"A\"}");
  EXPECT_EQ(said("State", "0700"), "7");
  for (const char* bad : {"", "00", "0000000041", "0000000241", "ffffffff41"})
    EXPECT_EQ(said("HLAASCIIstring", bad), "none") << bad;
  EXPECT_EQ(said("Reals",
                 "00000001"
                 "3ff0000000000000"),
            "none");  // without the padding
  EXPECT_EQ(said("Nothing", ""), "none");
}

}  // namespace
}  // namespace vernier::fom
