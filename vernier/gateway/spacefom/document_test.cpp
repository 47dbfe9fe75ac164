#include "vernier/gateway/spacefom/document.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <thread>

#include "vernier/component/catalogue.hpp"
#include "vernier/gateway/fom/merge.hpp"
#include "vernier/gateway/fom/reader.hpp"
#include "vernier/gateway/spacefom/federate_component.hpp"
#include "vernier/testing/files.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::spacefom {
namespace {

using namespace std::chrono_literals;

const std::filesystem::path format = VERNIER_SOURCE_DIR "/formats/federate";

TEST(FederateFormat, ReadsEveryGoodExample) {
  const auto all = testing::files(format / "good", ".xml");
  EXPECT_GE(all.size(), 3u);
  for (const auto& path : all) {
    Diagnostics problems;
    const auto read = read_federate(path, problems);
    ASSERT_TRUE(read) << rendered(problems);
    auto expected = path;
    EXPECT_EQ(summary(*read), testing::content(expected.replace_extension(".txt")));
  }
}

TEST(FederateFormat, AnswersEveryBadExampleWithItsMessage) {
  const auto all = testing::files(format / "bad", ".xml");
  std::filesystem::current_path(format / "bad");
  std::string said;
  for (const auto& path : all) {
    Diagnostics problems;
    EXPECT_FALSE(read_federate(path.filename(), problems)) << path;
    const std::string text = rendered(problems);
    auto expected = path;
    EXPECT_EQ(text, testing::content(expected.replace_extension(".txt"))) << path;
    said += text;
  }
  for (const char* code : {"V1831", "V1832", "V1833", "V1834", "V1835", "V1836", "V1837"})
    EXPECT_NE(said.find(code), std::string::npos) << code << " has no bad example";
}

TEST(FederateFormat, ShowsItsObjectsAsPorts) {
  Diagnostics problems;
  const auto read = read_federate(format / "good/vehicle.xml", problems);
  ASSERT_TRUE(read) << rendered(problems);
  const FederateComponent m(*read);
  std::string names;
  for (const Port& p : m.description().inputs)
    names += p.name + ":" + std::to_string(p.count) + " ";
  EXPECT_EQ(names,
            "lander.position:3 lander.velocity:3 lander.attitude:4 lander.rate:3 "
            "lander.acceleration:3 lander.angular_acceleration:3 lander.parent:1 lander.force:3 "
            "lander.torque:3 lander.mass:1 lander.mass_rate:1 lander.inertia:9 "
            "lander.inertia_rate:9 Lander.dock.position:3 Lander.dock.attitude:4 "
            "tank.heater.stage:1 tank.heater.switched:1 "
            "tank.heater.temperature:1 ");
  names.clear();
  for (const Port& p : m.description().outputs) names += p.name + " ";
  EXPECT_EQ(names,
            "moon.position moon.velocity moon.attitude moon.rate moon.acceleration "
            "moon.angular_acceleration moon.known logical_time mode ");
  EXPECT_EQ(m.description().rate, (Rate{4, 1}));
}

TEST(FederateFormat, FindsModulesThatWereMoved) {
  std::string text = testing::content(format / "good/vehicle.xml");
  const std::string name = "file=\"tank.fom\"";
  ASSERT_NE(text.find(name), text.npos);
  text.replace(text.find(name), name.size(), "file=\"/gone/tank.fom\"");
  Diagnostics problems;
  const auto moved =
      std::make_shared<const MovedFiles>(MovedFiles{{"/gone/tank.fom", format / "good/tank.fom"}});
  EXPECT_FALSE(parse_federate(text, format / "good/vehicle.xml", problems));
  const auto read = parse_federate(text, {format / "good/vehicle.xml", moved}, problems);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->modules.front(), format / "good/tank.fom");
}

TEST(FederateFormat, ShowsExtensionsAsPortsInSi) {
  Diagnostics problems;
  const auto read = read_federate(
      format.parent_path().parent_path() / "examples/federation/federate_tug.xml", problems);
  ASSERT_TRUE(read) << rendered(problems);
  EXPECT_TRUE(read->entities.front().entity.dynamical);
  const FederateComponent m(*read);
  std::string names;
  for (const Port& p : m.description().inputs)
    if (p.name.find("inertia_rate") != std::string::npos)
      names.clear();  // what comes after
    else
      names += p.name + ":" + std::to_string(p.count) + " " + p.unit + " ";
  EXPECT_EQ(names,
            "tug.propellant:1 kg tug.thrust:4 N tug.battery.voltage:1 V "
            "tug.battery.temperature:1 K tug.engine:1 1 ");
  EXPECT_EQ(m.description().inputs.back().initial, std::vector<double>{1.0});  // ENGINE_READY
  EXPECT_EQ(m.description().inputs.back().description,
            "0 ENGINE_OFF, 1 ENGINE_READY, 2 ENGINE_FIRING");
  names.clear();
  for (const Port& p : m.description().outputs)
    names += p.name + (p.flow == Flow::event ? "! " : " ");
  EXPECT_EQ(names,
            "dock.closed dock.sign.count dock.sign dock.berths.count dock.berths fire.duration "
            "fire.thruster fire! logical_time mode ");
  // millivolts in 32 bits, big endian, before four bytes of padding and a 64-bit float
  const Flat& battery = read->entities.front().extended.attributes[2].type;
  std::vector<std::byte> bytes(battery.bytes);
  ASSERT_EQ(bytes.size(), 16u);
  write_flat(battery, std::vector<double>{28.0, 290.0}, bytes);
  EXPECT_EQ(bytes[0], std::byte{0x46});  // 28000.0f = 0x46dac000
  EXPECT_EQ(bytes[1], std::byte{0xda});
  double back[2]{};
  ASSERT_EQ(read_flat(battery, bytes, back), Unread::no);
  EXPECT_NEAR(back[0], 28.0, 1e-14);
  EXPECT_EQ(back[1], 290.0);
}

/// A Master with all roles and a moving frame, driven by ports; in this process.
FederateDocument leader(const std::string& federation, const char* more) {
  Diagnostics problems;
  const auto d = parse_federate(
      "<federate name=\"Leader\"><federation name=\"" + federation +
          "\" patience=\"100 s\"/>"
          "<role master=\"yes\" pacing=\"yes\" root=\"yes\"/>"
          "<time step=\"0.5 s\" lcts=\"1 s\" epoch=\"TJDS 1000\"/>" +
          more +
          "<publish><frame name=\"Root\"/><frame name=\"A\" parent=\"Root\" port=\"a\"/></publish>"
          "</federate>",
      "leader.xml", problems);
  EXPECT_TRUE(d) << rendered(problems);
  return *d;
}

TEST(FederateComponent, KeepsTheComponentContract) {
  FederateDocument d = leader("contract", "");
  d.subscribed_frames.push_back({"A", "Root", "seen", true, false});
  FederateComponent m(d);
  testing::expect_conforming(m, 500ms,
                             [](testing::Rig& r, int k) { r.in("a.position") = 0.1 * k; });
}

TEST(FederateComponent, SaysThatTheFederationEndedBeforeItBegan) {
  FederateComponent m(leader("stillborn", "<require federate=\"Nobody\"/>"));
  EXPECT_FALSE(m.initialize({}, 0));
  m.federate().request(Mode::shutdown);
  std::string said;
  try {
    m.initialize({}, 1);
  } catch (const ConfigurationError& e) {
    said = rendered(e.diagnostics().list().front());
  }
  EXPECT_TRUE(said.starts_with("error[V5327]: stillborn was shut down before it began")) << said;
}

/// Six steps of a run with its pacer.
void drive(FederateComponent& m, const std::function<void(testing::Rig&, double)>& each) {
  std::unique_ptr<testing::Rig> rig;
  for (int k = 0; k < 6; ++k) {
    if (!rig) rig = std::make_unique<testing::Rig>(m);
    each(*rig, 0.5 * k);
    rig->step(500ms);
    for (Pacer* p : m.pacers()) EXPECT_EQ(p->wait_for(rig->now()), Outcome::ok);
  }
}

TEST(FederateComponent, GoesOnWhenTheCentralClockCannotBeReadAnyMore) {
  FederateDocument d;
  d.settings.pacing = true;
  d.central_clock = "/dev/ptp0";
  std::int64_t shows = 1'000;
  d.settings.central_clock = [&] { return shows; };
  FederateComponent m(d);
  TimeBase* base = m.time_base();
  ASSERT_NE(base, nullptr);
  base->start(Time{}, 500);
  const Time frame = Time{} + Duration(100);
  EXPECT_EQ(base->due(frame, 500), 600);
  shows = 1'060;  // ten ns ahead of this machine's clock
  EXPECT_EQ(base->due(frame, 550), 590);
  shows = -1;
  EXPECT_EQ(base->due(frame, 570), 590);
}

TEST(FederateComponent, ExchangesStatesOneStepAheadOfTheGrantedTime) {
  FederateComponent first(leader("pair", "<require federate=\"Other\"/>"));
  Diagnostics problems;
  const auto other = parse_federate(
      "<federate name=\"Other\"><federation name=\"pair\" patience=\"100 s\"/><time step=\"0.5 "
      "s\"/>"
      "<publish><entity name=\"E\" parents=\"A Root\" expressed=\"Root\" port=\"e\"/></publish>"
      "<subscribe><frame name=\"A\" in=\"Root\" port=\"a\"/>"
      "<frame name=\"A\" in=\"Root\" port=\"old\" states=\"received\"/></subscribe></federate>",
      "other.xml", problems);
  ASSERT_TRUE(other) << rendered(problems);
  FederateComponent second(*other);
  // two runs in two threads; the frame moves at 10 m/s from x = 1
  std::thread leading([&] {
    drive(first, [](testing::Rig& r, double t) {
      r.in("a.position") = 1.0 + 10.0 * t;
      r.in("a.velocity") = 10.0;
      r.in("a.attitude", 3) = 1.0;
    });
  });
  double worst = 0.0, oldest = 0.0;
  drive(second, [&](testing::Rig& r, double t) {
    r.in("e.position") = 5.0;
    r.in("e.attitude", 3) = 1.0;
    r.settle();
    if (t < 1.0) return;
    worst = std::max(worst, std::abs(r.out("a.position") - (1.0 + 10.0 * t)));
    oldest = std::max(oldest, std::abs(r.out("old.position") - (1.0 + 10.0 * (t - 0.5))));
  });
  leading.join();
  EXPECT_LT(worst, 1e-5);  // a double resolves the scenario time to 0.12 us
  EXPECT_LT(oldest, 1e-12);
}

TEST(FederateComponent, ReckonsWithAccelerationsThatAreGiven) {
  const std::string module = "<module file=\"" + (format / "good/tank.fom").string() + "\"/>";
  Diagnostics problems;
  const auto document = [&](const std::string& text) {
    auto d = parse_federate(text, "f.xml", problems);
    EXPECT_TRUE(d) << rendered(problems);
    return *d;
  };
  FederateComponent first(document(
      "<federate name=\"First\"><federation name=\"given\" patience=\"100 s\"/>"
      "<role master=\"yes\" pacing=\"yes\" root=\"yes\"/>"
      "<time step=\"0.5 s\" lcts=\"0.5 s\" epoch=\"TJDS 1000\"/><require federate=\"Second\"/>" +
      module +
      "<publish><frame name=\"Root\"/><frame name=\"A\" class=\"ReferenceFrame.AcceleratedFrame\" "
      "parent=\"Root\" port=\"a\"/></publish></federate>"));
  FederateComponent second(
      document("<federate name=\"Second\"><federation name=\"given\" patience=\"100 s\"/>"
               "<time step=\"0.5 s\"/>" +
               module +
               "<subscribe><frame name=\"A\" class=\"ReferenceFrame.AcceleratedFrame\" in=\"Root\" "
               "port=\"a\"/></subscribe></federate>"));
  // the state is constant but the given acceleration is not zero: only that can move it
  std::thread leading([&] {
    drive(first, [](testing::Rig& r, double) {
      r.in("a.attitude", 3) = 1.0;
      r.in("a.acceleration", 1) = 2.0;
      r.in("a.angular_acceleration", 2) = 0.25;
    });
  });
  double y = 0.0, acceleration = 0.0, turn = 0.0;
  drive(second, [&](testing::Rig& r, double t) {
    r.settle();
    if (t < 1.0) return;
    y = r.out("a.position", 1);
    acceleration = r.out("a.acceleration", 1);
    turn = r.out("a.rate", 2);
  });
  leading.join();
  EXPECT_EQ(acceleration, 2.0);
  EXPECT_NEAR(y, 0.25, 1e-6);  // 2 t^2/2 of half a second
  EXPECT_NEAR(turn, 0.125, 1e-6);
}

TEST(Flat, LiesInMemoryAsTheStandardSays) {
  Diagnostics problems;
  std::vector<fom::Module> modules;
  for (const std::string& name : fom::spacefom_modules()) modules.push_back(*fom::built_in(name));
  auto own = fom::read_module(format / "good/tank.fom", problems);
  ASSERT_TRUE(own) << rendered(problems);
  modules.push_back(std::move(*own));
  const auto f = fom::merge(modules, fom::standard_mim(), problems);
  ASSERT_TRUE(f) << rendered(problems);
  // one record: an octet, then three bytes of padding, a 32-bit integer, a 64-bit float
  const auto flat = flattened(*f, "HeaterState");
  ASSERT_TRUE(flat) << flat.error();
  ASSERT_EQ(flat->numbers.size(), 3u);
  EXPECT_EQ(flat->bytes, 16u);
  EXPECT_TRUE(flat->fixed);
  const double values[]{300.0, -2.0, 1.5};  // 300 is limited to 255
  std::vector<std::byte> bytes(16);
  write_flat(*flat, values, bytes);
  EXPECT_EQ(bytes[0], std::byte{255});
  EXPECT_EQ(bytes[7], std::byte{0xfe});   // big endian, after three bytes of padding
  EXPECT_EQ(bytes[15], std::byte{0x3f});  // little endian
  double back[3]{};
  ASSERT_EQ(read_flat(*flat, bytes, back), Unread::no);
  EXPECT_EQ(back[0], 255.0);
  EXPECT_EQ(back[1], -2.0);
  EXPECT_EQ(back[2], 1.5);
  EXPECT_EQ(read_flat(*flat, std::span(bytes).first(15), back), Unread::malformed);
  EXPECT_EQ(flattened(*f, "SpaceTimeCoordinateState")->bytes, 112u);
  EXPECT_FALSE(flattened(*f, "HLAunicodeString"));  // its length is unknown
  EXPECT_FALSE(flattened(*f, "Nothing"));
}

/// The FOM of one document of data types.
std::optional<fom::Fom> with_types(const std::string& types) {
  Diagnostics problems;
  auto module = fom::parse_module(
      "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\"><dataTypes>" + types +
          "</dataTypes></objectModel>",
      "test.xml", problems);
  EXPECT_TRUE(module) << rendered(problems);
  auto f = fom::merge({&*module, 1}, fom::standard_mim(), problems);
  EXPECT_TRUE(f) << rendered(problems);
  return f;
}
std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte b : bytes)
    for (const int shift : {4, 0})
      text += "0123456789abcdef"[std::to_integer<int>(b) >> shift & 15];
  return text;
}

TEST(Flat, HasRoomForVariableArraysUpToALimit) {
  const auto f = with_types(
      "<arrayDataTypes><arrayData><name>Names</name><dataType>HLAunicodeString</dataType>"
      "<cardinality>Dynamic</cardinality><encoding>HLAvariableArray</encoding></arrayData>"
      "<arrayData><name>Reals</name><dataType>HLAfloat64LE</dataType>"
      "<cardinality>[0..3]</cardinality><encoding>HLAvariableArray</encoding></arrayData>"
      "<arrayData><name>Cells</name><dataType>Cell</dataType><cardinality>Dynamic</cardinality>"
      "<encoding>HLAvariableArray</encoding></arrayData></arrayDataTypes>"
      "<fixedRecordDataTypes><fixedRecordData><name>Cell</name><encoding>HLAfixedRecord</encoding>"
      "<field><name>volt</name><dataType>HLAfloat64BE</dataType></field>"
      "<field><name>id</name><dataType>HLAoctet</dataType></field>"
      "</fixedRecordData></fixedRecordDataTypes>");
  const auto text = flattened(*f, "HLAunicodeString", "", 4);
  ASSERT_TRUE(text) << text.error();
  EXPECT_TRUE(text->text && text->list && !text->fixed);
  ASSERT_EQ(text->parts.size(), 2u);
  EXPECT_EQ(text->parts[0].name, ".count");
  EXPECT_EQ(text->parts[1].name, "");
  EXPECT_EQ(text->bytes, 12u);
  std::vector<std::byte> bytes(text->bytes);
  double value[]{2.0, 'A', 0x20ac, 7.0, 7.0}, back[5]{9, 9, 9, 9, 9};
  // count and UTF-16, as HLAunicodeString of the encoding helpers; 7 is beyond the end
  EXPECT_EQ(hex({bytes.data(), write_flat(*text, value, bytes)}), "00000002004120ac");
  ASSERT_EQ(read_flat(*text, std::span(bytes).first(8), back), Unread::no);
  EXPECT_EQ(std::vector<double>(back, back + 5), (std::vector<double>{2, 'A', 0x20ac, 0, 0}));
  EXPECT_EQ(characters(*text, "A€"), (std::vector<double>{'A', 0x20ac}));
  EXPECT_EQ(characters(*text, "\xf0\x9f\x9a\x80"), (std::vector<double>{0xd83d, 0xde80}));
  EXPECT_TRUE(characters(*text, "\xf0\x9f").empty());
  EXPECT_TRUE(characters(*flattened(*f, "HLAASCIIstring", "", 4), "€").empty());
  value[0] = 400.0;  // limited to the room
  EXPECT_EQ(write_flat(*text, value, bytes), 12u);
  bytes[3] = std::byte{5};
  bytes.resize(14);
  EXPECT_EQ(read_flat(*text, bytes, back), Unread::too_many);
  bytes[0] = std::byte{1};  // more than the bytes can hold
  EXPECT_EQ(read_flat(*text, bytes, back), Unread::malformed);
  EXPECT_EQ(read_flat(*text, std::span(bytes).first(3), back), Unread::malformed);
  EXPECT_EQ(back[1], 'A');  // unchanged

  // the module gives the limit; the numbers begin at a multiple of eight
  const auto reals = flattened(*f, "Reals");
  ASSERT_TRUE(reals) << reals.error();
  EXPECT_EQ(reals->bytes, 32u);
  std::vector<std::byte> room(reals->bytes);
  const double one[]{1.0, 1.0, 0.0, 0.0};
  EXPECT_EQ(hex({room.data(), write_flat(*reals, one, room)}), "0000000100000000000000000000f03f");
  const double none[]{0.0, 1.0, 1.0, 1.0};
  EXPECT_EQ(write_flat(*reals, none, room), 4u);

  // records, each at a multiple of eight; no padding after the last
  const auto cells = flattened(*f, "Cells", "", 2);
  ASSERT_TRUE(cells) << cells.error();
  ASSERT_EQ(cells->parts.size(), 5u);
  EXPECT_EQ(cells->parts[4].name, ".1.id");
  std::vector<std::byte> two(cells->bytes);
  const double state[]{2.0, 1.0, 3.0, 2.0, 4.0};
  EXPECT_EQ(hex({two.data(), write_flat(*cells, state, two)}),
            "0000000200000000"
            "3ff0000000000000"
            "0300000000000000"
            "4000000000000000"
            "04");
  ASSERT_EQ(read_flat(*cells, two, back), Unread::no);
  EXPECT_EQ(std::vector<double>(back, back + 5), std::vector<double>(state, state + 5));

  // strings in an array
  const auto names = flattened(*f, "Names", "", 2);
  ASSERT_TRUE(names) << names.error();
  EXPECT_FALSE(names->text);
  std::vector<std::byte> both(names->bytes);
  const double words[]{2.0, 1.0, 'a', 0.0, 2.0, 'b', 'c'};
  EXPECT_EQ(hex({both.data(), write_flat(*names, words, both)}),
            "00000002"
            "000000010061"
            "0000"
            "0000000200620063");
  double again[7]{};
  ASSERT_EQ(read_flat(*names, both, again), Unread::no);
  EXPECT_EQ(std::vector<double>(again, again + 7), std::vector<double>(words, words + 7));
  EXPECT_FALSE(flattened(*f, "Names", "", 100));  // more than 4096 numbers
}

TEST(Flat, HasNumbersThatCanBeShownAndAnEnd) {
  const auto basic = [](const char* name, int bits) {
    return "<basicData><name>" + std::string(name) + "</name><size>" + std::to_string(bits) +
           "</size><endian>Big</endian></basicData>";
  };
  std::string types;  // nested arrays without numbers
  for (int i = 0; i < 5; ++i)
    types += "<arrayData><name>A" + std::to_string(i) + "</name><dataType>" +
             (i == 0 ? "HLAoctet" : "A" + std::to_string(i - 1)) + "</dataType><cardinality>" +
             (i == 0 ? "0" : "4000") +
             "</cardinality><encoding>HLAfixedArray</encoding></arrayData>";
  const auto f =
      with_types("<basicDataRepresentations>" + basic("Tinyinteger", 4) +
                 basic("Hugeinteger", 128) + basic("Oddinteger", 24) +
                 "</basicDataRepresentations><arrayDataTypes>" + types + "</arrayDataTypes>");
  EXPECT_FALSE(flattened(*f, "A4"));
  EXPECT_FALSE(flattened(*f, "Tinyinteger"));
  EXPECT_FALSE(flattened(*f, "Hugeinteger"));
  EXPECT_TRUE(flattened(*f, "Oddinteger"));
}

}  // namespace
}  // namespace vernier::spacefom
