#include "vernier/gateway/plugin/device.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::plugin {
namespace {

using namespace std::chrono_literals;
using testing::Rig;

const std::string header = VERNIER_SOURCE_DIR "/vernier/gateway/plugin";

/// A directory with a space in its name.
std::filesystem::path folder() {
  static const TemporaryFolder place;
  const auto path = place / "vernier plugins";
  std::filesystem::create_directories(path);
  return path;
}

/// The example plug-in, built outside the tree by its own Makefile.
std::filesystem::path lowpass() {
  const std::string out = folder().string();
  const std::string build = "cp '" VERNIER_SOURCE_DIR "/examples/plugin/'* '" + out + "/' && cd '" +
                            out + "' && make -s VERNIER_INCLUDE='" + header + "'";
  EXPECT_EQ(std::system(build.c_str()), 0);
  return folder() / "lowpass.so";
}

/// A plug-in made of a few lines of C.
std::filesystem::path compiled(const std::string& name, const std::string& code) {
  const auto source = folder() / (name + ".c"), object = folder() / (name + ".so");
  std::ofstream(source) << "#include \"vernier_plugin.h\"\n" << code;
  const std::string command = "cc -std=c11 -fPIC -shared -I'" + header + "' -o '" +
                              object.string() + "' '" + source.string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
  return object;
}

channel::Channels lines(std::uint32_t count) {
  channel::Channels c;
  c.inputs.resize(1);
  c.inputs[0].name = "in";
  c.inputs[0].unit = "V";
  c.inputs[0].count = count;
  c.inputs[0].initial = std::vector<double>(count, 0.0);
  c.outputs.resize(2);
  c.outputs[0].name = "filtered";
  c.outputs[1].name = "difference";
  for (auto& o : c.outputs) o.unit = "V", o.count = count;
  return c;
}

TEST(PluginExample, ComputesItsClosedForm) {
  Device device(lines(3), {.path = lowpass(), .config = "tau=0.5 size=3"}, *code_of({lowpass()}));
  Rig rig(device);
  rig.in("in", 1) = 2.0;
  rig.run(100ms, 1s);
  rig.settle();
  // ten factors exp(-0.2), each rounded to double
  EXPECT_NEAR(rig.out("filtered", 1), 2.0 * (1.0 - std::exp(-2.0)), 1e-15);
  EXPECT_EQ(rig.out("difference", 1), 2.0 - rig.out("filtered", 1));
  EXPECT_EQ(rig.out("filtered", 0), 0.0);
}

TEST(PluginExample, KeepsTheComponentContract) {
  Device device(lines(2), {.path = lowpass(), .config = "size=2"}, *code_of({lowpass()}));
  testing::expect_conforming(device, 10ms,
                             [](Rig& r, int k) { r.in("in", 1) = std::sin(0.3 * k); });
}

TEST(PluginExample, SaysWhyItFails) {
  Device device(lines(1), {.name = "filter", .path = lowpass()}, *code_of({lowpass()}));
  Rig rig(device);
  rig.in("in") = 2e6;
  const Advance a = device.advance(Time{}, Time{1s});
  EXPECT_EQ(a.outcome, Outcome::failed);
  EXPECT_EQ(a.reached, Time{});
  EXPECT_EQ(std::string(device.fault().code) + " " + device.fault().text,
            "V5206 the plug-in of \"filter\" failed in advance at t = 0 s: line 1 has 2e+06 V, "
            "more than 1 MV");
  EXPECT_EQ(device.output({Time{}}), Outcome::failed);
}

std::string refused(const channel::Channels& channels, const DeviceSettings& settings) {
  try {
    std::vector<std::filesystem::path> trusted;
    if (std::filesystem::exists(settings.path)) trusted.push_back(settings.path);
    Device device(channels, settings, *code_of(trusted));
    Rig rig(device);
  } catch (const ConfigurationError& e) {
    const Diagnostic& d = e.diagnostics().list().front();
    std::string text = d.code + " " + d.message;
    const std::string path = settings.path.string();
    if (const auto at = text.find(path); at != text.npos) text.replace(at, path.size(), "P");
    return text;
  }
  return "accepted";
}

TEST(Plugin, ThatDoesNotFitIsRefusedBeforeTheRun) {
  const auto path = lowpass();
  EXPECT_EQ(refused(lines(1), {.path = path}), "accepted");
  EXPECT_EQ(
      refused(lines(1), {.path = path, .config = "tau=-1"}),
      "V5205 the plug-in P refuses its configuration: tau must be positive and size from 1 to 16");
  EXPECT_EQ(refused(lines(1), {.path = path, .config = "colour=blue"}),
            "V5205 the plug-in P refuses its configuration: \"colour=blue\" is not tau=SECONDS or "
            "size=COUNT");
  EXPECT_EQ(refused(lines(3), {.path = path}),
            "V5207 the plug-in P: input 1, \"in\", has size 1 there, 3 in the document");
  auto other = lines(1);
  other.inputs[0].unit = "A";
  EXPECT_EQ(refused(other, {.path = path}),
            "V5207 the plug-in P: input 1, \"in\", is in \"V\" there, in \"A\" in the document");
  other = lines(1);
  other.outputs.pop_back();
  EXPECT_EQ(refused(other, {.path = path}), "V5207 the plug-in P has 2 outputs, the document 1");
  other = lines(1);
  other.outputs[1].name = "rest";
  EXPECT_EQ(refused(other, {.path = path}),
            "V5207 the plug-in P: output 2 is \"difference\" there, \"rest\" in the document");
}

TEST(Plugin, ThatIsNoneIsRefused) {
  EXPECT_EQ(refused({}, {.path = "/nowhere/x.so"}),
            "V5201 the plug-in P cannot be loaded: cannot open shared object file: "
            "No such file or directory");
  EXPECT_EQ(refused({}, {.path = compiled("empty", "int nothing;")}),
            "V5202 the plug-in P has no function vernier_plugin_entry");
  EXPECT_EQ(refused({}, {.path = compiled("null",
                                          "const vernier_plugin* vernier_plugin_entry(uint32_t v) "
                                          "{ (void)v; return NULL; }")}),
            "V5203 the plug-in P does not serve version 1, this program needs version 1");
  const std::string table =
      "const vernier_plugin* vernier_plugin_entry(uint32_t v) { (void)v; static vernier_plugin p = "
      "{";
  EXPECT_EQ(refused({}, {.path = compiled(
                             "later", table + ".size = sizeof p, .version = 9}; return &p; }")}),
            "V5203 the plug-in P has version 9, this program needs version 1");
  EXPECT_EQ(
      refused({}, {.path = compiled("short", table + ".size = 16, .version = 1}; return &p; }")}),
      "V5203 the plug-in P has a table of 16 bytes, version 1 has 112");
  EXPECT_EQ(refused({}, {.path = compiled(
                             "holes", table + ".size = sizeof p, .version = 1}; return &p; }")}),
            "V5204 the plug-in P leaves out a function that is needed");
}

TEST(Plugin, WhoseDescriptionIsNonsenseIsRefused) {
  const std::string rest = R"(
static void* create(const char* c, char* e, size_t n) { (void)c; (void)e; (void)n; static int x; return &x; }
static void destroy(void* p) { (void)p; }
static uint32_t none(void* p, const vernier_port** q) { (void)p; (void)q; return 0; }
static int start(void* p, int64_t t) { (void)p; (void)t; return 0; }
static int output(void* p, int64_t t, const double* i, double* o) { (void)p; (void)t; (void)i; (void)o; return 0; }
static int advance(void* p, int64_t f, int64_t t, const double* i) { (void)p; (void)f; (void)t; (void)i; return 0; }
static vernier_plugin p = {.size = sizeof p, .version = 1, .create = create, .destroy = destroy, .inputs = none,
                           .outputs = outputs, .start = start, .output = output, .advance = advance};
const vernier_plugin* vernier_plugin_entry(uint32_t v) { (void)v; return &p; }
)";
  const auto with = [&](const std::string& name, const std::string& body) {
    return refused(
        {},
        {.path = compiled(
             name, "static uint32_t outputs(void* s, const vernier_port** q) { (void)s; (void)q; " +
                       body + " }" + rest)});
  };
  const std::string one = "static vernier_port p = {sizeof p, ";
  EXPECT_EQ(with("count", "return 4000000000u;"),
            "V5204 the plug-in P says that it has 4000000000 outputs, and none is there");
  EXPECT_EQ(with("nameless", one + "1, 0, 0, 0}; *q = &p; return 1;"),
            "V5204 the plug-in P: output 1 has no usable name");
  EXPECT_EQ(with("zero", one + "0, \"a\", 0, 0}; *q = &p; return 1;"),
            "V5204 the plug-in P: output 1 has 0 elements");
  EXPECT_EQ(with("huge", one + "4000000000u, \"a\", 0, 0}; *q = &p; return 1;"),
            "V5204 the plug-in P: output 1 has 4000000000 elements");
  EXPECT_EQ(with("sizes", "static vernier_port p = {8, 1, \"a\", 0, 0}; *q = &p; return 1;"),
            "V5204 the plug-in P: output 1 has a wrong size field");
  EXPECT_EQ(with("good", "return 0;"), "accepted");
}

}  // namespace
}  // namespace vernier::plugin
