#include "vernier/run/placement/nodes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vernier/testing/files.hpp"

namespace vernier::placement {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const fs::path format = fs::path(VERNIER_SOURCE_DIR) / "formats/nodes";

Nodes nodes(const std::string& on) {
  Diagnostics problems;
  return nodes_of(on, problems);
}

std::vector<std::string> words(const Nodes& n) {
  std::vector<std::string> all;
  for (const Host& h : n.hosts) all.push_back(h.name + " at " + (h.local() ? "here" : text(h)));
  return all;
}

std::string refusal(const std::string& on) {
  try {
    nodes(on);
  } catch (const ConfigurationError& e) {
    return e.diagnostics().list().front().code + " " + e.diagnostics().list().front().message;
  }
  return "";
}

TEST(Nodes, AreProcessesOfThisComputer) {
  EXPECT_THAT(words(nodes("local:2")), ElementsAre("node1 at here", "node2 at here"));
  EXPECT_EQ(nodes(" local:1024 ").hosts.size(), most_nodes);
  EXPECT_TRUE(nodes("local:3").local());
  for (const char* on : {"local:", "local:0", "local:-1", "local:1025", "local:two", "local:2.5"})
    EXPECT_THAT(refusal(on), HasSubstr("V2151")) << on;
}

TEST(Nodes, AreServersByTheirAddress) {
  EXPECT_THAT(words(nodes("host1, host2:4711,[::1]:99,local")),
              ElementsAre("host1 at host1:4870", "host2 at host2:4711", "::1 at [::1]:99",
                          "local at here"));
  // servers on one host are told apart by their ports
  EXPECT_THAT(words(nodes("h:1,h:2,g")), ElementsAre("h:1 at h:1", "h:2 at h:2", "g at g:4870"));
  EXPECT_FALSE(nodes("host1,local").local());
}

TEST(Nodes, RefuseWhatIsNoAddressAndSayWhy) {
  EXPECT_THAT(refusal(""), HasSubstr("no node is given"));
  EXPECT_THAT(refusal("a,,b"), HasSubstr("empty name"));
  EXPECT_THAT(refusal("a,a"), HasSubstr("a:4870 comes twice"));
  EXPECT_THAT(refusal("local,local"), HasSubstr("local comes twice"));
  EXPECT_THAT(refusal("::1"), HasSubstr("needs brackets"));
  EXPECT_THAT(refusal("[::1"), HasSubstr("no ]"));
  EXPECT_THAT(refusal("[::1]4711"), HasSubstr("a colon and a port"));
  EXPECT_THAT(refusal("a:0"), HasSubstr("from 1 to 65535"));
  EXPECT_THAT(refusal("a:65536"), HasSubstr("from 1 to 65535"));
  EXPECT_THAT(refusal("4711"), HasSubstr("the host is missing"));
  EXPECT_THAT(refusal("-x"), HasSubstr("no such characters"));
  EXPECT_THAT(refusal(std::string(300, 'a')), HasSubstr("too long"));
  EXPECT_THAT(refusal("nowhere.xml"), HasSubstr("V1200"));
}

TEST(Nodes, OfADocumentHaveItsKeysRelativeToIt) {
  const Nodes n = nodes((format / "good/two_computers.xml").string());
  EXPECT_THAT(words(n), ElementsAre("desk at here", "rack at rack.example.org:4870",
                                    "robot at [fd00::12]:4711"));
  EXPECT_EQ(n.hosts[0].key_file, "");
  EXPECT_EQ(n.hosts[1].key_file, (format / "good/lab.key").string());
  EXPECT_EQ(n.hosts[2].key_file, "/etc/vernier/robot.key");
  EXPECT_EQ(n.hosts[2].authorities, (format / "good/lab.pem").string());
  ASSERT_EQ(n.assignment.size(), 2u);
  EXPECT_EQ(n.assignment[1].part, "bus.*");
  EXPECT_EQ(n.assignment[1].node, 1u);
  EXPECT_EQ(n.round_trip, Duration(120us));
  EXPECT_EQ(n.bandwidth, 125e6);
  EXPECT_FALSE(nodes((format / "good/processes.xml").string()).round_trip);
}

TEST(Nodes, OfADocumentAreRefusedWordForWord) {
  const testing::Standing there(format / "bad");
  int count = 0;
  for (const fs::path& file : testing::files(".", ".xml")) {
    std::string said;
    try {
      nodes(file.filename().string());
    } catch (const ConfigurationError& e) {
      said = rendered(e.diagnostics());
    }
    fs::path expected = file;
    expected.replace_extension(".txt");
    EXPECT_EQ(said, testing::content(expected)) << file;
    ++count;
  }
  EXPECT_EQ(count, 7);
}

TEST(Nodes, AgreeWithXmllint) {
  for (const fs::path& file : testing::files(format / "good", ".xml"))
    EXPECT_TRUE(testing::xmllint_accepts(format / "nodes.dtd", file)) << file;
}

TEST(Nodes, AreAtMostAsManyAsCanBe) {
  std::string document = "<nodes>";
  for (std::size_t i = 0; i < most_nodes + 50; ++i)
    document += "<node name=\"n" + std::to_string(i) + "\"/>";
  Diagnostics problems;
  try {
    parse_nodes(document + "</nodes>", "many.xml", problems);
    FAIL();
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().list().front().message, "more than 1024 nodes");
  }
}

TEST(NodesDocument, SaysWhetherTheClocksAreSynchronised) {
  Diagnostics problems;
  const auto read = [&](const std::string& clock) {
    return parse_nodes("<nodes" + clock + "><node name=\"a\" local=\"yes\"/></nodes>", "n.xml",
                       problems)
        .synchronised;
  };
  EXPECT_FALSE(read(""));
  EXPECT_FALSE(read(" clock=\"messages\""));
  EXPECT_TRUE(read(" clock=\"synchronised\""));
  EXPECT_THROW(read(" clock=\"ptp\""), ConfigurationError);
}

}  // namespace
}  // namespace vernier::placement
