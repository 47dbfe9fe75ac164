#include "vernier/run/placement/place.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "vernier/base/random.hpp"
#include "vernier/run/composition/cut.hpp"
#include "vernier/run/placement/test_plans.hpp"
#include "vernier/run/placement/tick_model.hpp"

namespace vernier::placement {
namespace {

using namespace std::chrono_literals;
using test::computers;
using test::Sketch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Nodes here(int count) {
  Nodes n;
  for (int i = 1; i <= count; ++i) n.hosts.push_back({.name = "node" + std::to_string(i)});
  return n;
}
struct Answer {
  Placement placement;
  std::vector<std::string> words;  // of the problems
};
Answer ask(Sketch& s, const Nodes& nodes, const std::vector<double>& cost = {}) {
  s.arranged();
  Answer a;
  Diagnostics problems;
  try {
    a.placement = place(s.plan, s.composition, nodes, cost, problems);
  } catch (const ConfigurationError& e) {
    EXPECT_GT(e.diagnostics().errors(), 0u);
  }
  for (const Diagnostic& d : problems.list()) {
    std::string text = d.code + " " + d.message;
    for (const std::string& note : d.notes) text += " | " + note;
    if (!d.mark.empty()) text += " | " + d.mark;
    a.words.push_back(text);
  }
  return a;
}

TEST(Place, BalancesWhatPartsCost) {
  Sketch s(4);
  const Answer a = ask(s, computers(2), {6e-3, 3e-3, 2e-3, 1e-3});
  EXPECT_THAT(a.placement.nodes,
              ::testing::AnyOf(ElementsAre(0, 1, 1, 1), ElementsAre(1, 0, 0, 0)));
  EXPECT_THAT(a.words, IsEmpty());
  EXPECT_THAT(a.placement.names, ElementsAre("p", "q"));
  EXPECT_EQ(a.placement.why[0], Why::automatic);
}

TEST(Place, DoesNotCutWhatNeedsEachOtherAtOnceIfWaitingCostsMore) {
  Sketch s(3);
  s.wire(0, 1);
  s.wire(1, 0);
  const std::vector<double> cost = {1e-3, 1e-3, 1e-3};
  const auto far = ask(s, computers(2, 2ms), cost).placement.nodes;
  EXPECT_EQ(far[0], far[1]);
  EXPECT_NE(far[0], far[2]);
  // heavy enough, it is worth waiting for
  const auto heavy = ask(s, computers(2, 2ms), {20e-3, 20e-3, 1e-3}).placement.nodes;
  EXPECT_NE(heavy[0], heavy[1]);
}

TEST(Place, EveryNodeGetsAPart) {
  Sketch s(3);
  s.wire(0, 1);
  s.wire(1, 2);
  s.wire(2, 0, 10ms);
  const Answer a = ask(s, computers(3, 1s), {1e-6, 1e-6, 1e-6});
  EXPECT_EQ(std::set<std::uint32_t>(a.placement.nodes.begin(), a.placement.nodes.end()).size(), 3u);
  EXPECT_THAT(a.words, IsEmpty());
  const Answer few = ask(s, here(5));
  EXPECT_THAT(few.words, ElementsAre(HasSubstr("V2157 nothing runs on ")));
}

TEST(Place, WhatIsConnectedToTheOutsideStaysOnTheFirstNode) {
  Sketch s(1);
  s.add("device", false, {.faces_world = true});
  s.add("recorder", false, {.rewinds = false});
  s.add("program");
  s.composition.instances.back().kind = composition::Instance::Kind::connector;
  const Answer a = ask(s, here(2));
  EXPECT_THAT(a.placement.nodes, ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(a.placement.why, ElementsAre(Why::automatic, Why::stays, Why::stays, Why::stays));
}

TEST(Place, TakesTheDocumentsNodesByNameOrInOrder) {
  Sketch s;
  s.add("a", false, {}, {}, "right");
  s.add("b", false, {}, {}, "left");
  s.add("c", false, {}, {}, "right");
  Answer a = ask(s, here(3));
  EXPECT_THAT(a.placement.nodes, ElementsAre(0, 1, 0));
  EXPECT_THAT(
      a.placement.notes,
      ElementsAre("the document's nodes are taken in order: right is node1, left is node2"));
  EXPECT_THAT(a.words, ElementsAre(HasSubstr("V2157")));
  Nodes named = computers(2);
  named.hosts[0].name = "left";
  named.hosts[1].name = "right";
  a = ask(s, named);
  EXPECT_THAT(a.placement.nodes, ElementsAre(1, 0, 1));
  EXPECT_THAT(a.placement.why, ElementsAre(Why::document, Why::document, Why::document));
  EXPECT_THAT(a.placement.notes, IsEmpty());
}

TEST(Place, RefusesNamesOfTheDocumentThatNoNodeHas) {
  Sketch s;
  s.add("a", false, {}, {}, "left");
  s.add("b", false, {}, {}, "right");
  EXPECT_THAT(ask(s, here(1)).words,
              ElementsAre("V2153 the document names 2 nodes, left, right, but there is 1 | give as "
                          "many, for example --on local:2 | or say in a nodes document what runs "
                          "where"));
  Nodes half = computers(2);
  half.hosts[0].name = "left";
  EXPECT_THAT(
      ask(s, half).words,
      ElementsAre(HasSubstr("V2153 no node is called \"right\", where b runs | the nodes are "
                            "left, q | name all nodes as the document does, or none")));
  Nodes document = computers(2);
  document.file = "lab/nodes.xml";
  EXPECT_THAT(ask(s, document).words,
              ElementsAre(HasSubstr("add to nodes.xml: <place part=\"a\" node=\"p\"/>"),
                          HasSubstr("add to nodes.xml: <place part=\"b\" node=\"p\"/>")));
  // what the nodes document places needs no name
  document.assignment = {{.part = "?", .node = 1}};
  const Answer a = ask(s, document);
  EXPECT_THAT(a.placement.nodes, ElementsAre(1, 1));
  EXPECT_THAT(a.words,
              ElementsAre(HasSubstr("V2156 a runs on q, not on left"),
                          HasSubstr("V2156 b runs on q, not on right"), HasSubstr("V2157")));
}

TEST(Place, TheNodesDocumentPlacesByTheFirstPatternThatMatches) {
  Sketch s(3);
  Nodes n = here(2);
  n.assignment = {{.part = "b", .node = 1}, {.part = "*", .node = 0}, {.part = "bb", .node = 1}};
  const Answer a = ask(s, n);
  EXPECT_THAT(a.placement.nodes, ElementsAre(0, 1, 0));
  EXPECT_EQ(a.placement.why[2], Why::nodes_file);
  EXPECT_THAT(a.words, ElementsAre(HasSubstr("V2155 \"bb\" places nothing")));
}

TEST(Place, RefusesToDivideAnIsland) {
  Sketch s(2);
  s.plan.parts[0].name = "island craft";
  s.plan.parts[0].instances = {"plant", "relay", "tank"};
  Nodes n = here(2);
  n.assignment = {{.part = "plant", .node = 0}, {.part = "re*", .node = 1}};
  EXPECT_THAT(ask(s, n).words,
              ElementsAre(HasSubstr("V2154 plant and relay are integrated together, but are placed "
                                    "on different nodes: node1 and node2 | ")));
  n.assignment.pop_back();
  n.assignment[0].node = 1;
  EXPECT_THAT(ask(s, n).placement.nodes, ElementsAre(1, 0));
  n.assignment[0].part = "island *";
  EXPECT_THAT(ask(s, n).placement.nodes, ElementsAre(1, 0));
}

/// Random parts, wires, delays, rates and costs.
struct Puzzle : Sketch {
  std::vector<double> cost;
  Puzzle(std::uint64_t seed, int parts) {
    Random random(seed);
    const auto pick = [&random](std::size_t n) {
      return static_cast<std::uint32_t>(random.uniform() * static_cast<double>(n));
    };
    for (int i = 0; i < parts; ++i) {
      add("x" + std::to_string(i), pick(3) == 0,
          {.faces_world = pick(8) == 0, .reacts = pick(5) == 0},
          pick(4) == 0 ? Rate{25 * (1 + pick(12)), 1} : Rate{});
      cost.push_back(1e-5 * (1 + pick(300)));
    }
    for (std::uint32_t i = 0; i < plan.parts.size(); ++i)
      for (std::uint32_t k = pick(3); k > 0; --k) {
        const std::uint32_t from = pick(plan.parts.size());
        // no loop of outputs that need each other: u is fed from before only
        wire(from, i, pick(3) == 0 ? 10ms * (1 + pick(3)) : Duration{}, from < i ? pick(2) : 1);
      }
  }
};

double tick(const Puzzle& p, const Nodes& n, const std::vector<std::uint32_t>& nodes) {
  return TickModel(p.plan, n, p.cost)
      .of(composition::cut(p.plan, nodes, static_cast<std::uint32_t>(n.hosts.size())))
      .tick;
}

std::size_t used(const std::vector<std::uint32_t>& nodes) {
  return std::set<std::uint32_t>(nodes.begin(), nodes.end()).size();
}

TEST(Place, FindsTheBestOfAllPlacementsOfAFewParts) {
  double gained = 0.0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Puzzle p(seed, 6);
    const Nodes n = computers(seed % 2 ? 2 : 3, 200us);
    const Answer a = ask(p, n, p.cost);
    const double found = tick(p, n, a.placement.nodes);
    double best = 1.0, worst = 0.0;
    std::vector<std::uint32_t> nodes(p.plan.parts.size());
    for (std::size_t i = 0; i < nodes.size();) {
      bool allowed = used(nodes) == used(a.placement.nodes);
      for (std::size_t q = 0; q < nodes.size(); ++q)
        allowed &= a.placement.why[q] == Why::automatic || nodes[q] == a.placement.nodes[q];
      if (allowed) {
        const double t = tick(p, n, nodes);
        best = std::min(best, t);
        worst = std::max(worst, t);
      }
      for (i = 0; i < nodes.size() && ++nodes[i] == n.hosts.size(); ++i) nodes[i] = 0;
    }
    EXPECT_NEAR(found, best, 1e-6) << seed;  // fewer frames count a little
    gained += worst / best;
  }
  EXPECT_GT(gained / 12, 1.2);  // there was something to choose
}

TEST(Place, OfManyPartsIsGoodAndRepeatable) {
  for (std::uint64_t seed = 101; seed <= 102; ++seed) {
    Puzzle p(seed, 30);
    const Nodes n = computers(4, 200us);
    const Answer a = ask(p, n, p.cost);
    EXPECT_EQ(ask(p, n, p.cost).placement.nodes, a.placement.nodes);
    EXPECT_EQ(used(a.placement.nodes), 4u);
    for (std::size_t q = 0; q < a.placement.nodes.size(); ++q)
      if (a.placement.why[q] == Why::stays) {
        EXPECT_EQ(a.placement.nodes[q], 0u);
      }
    // never worse than random ones that use all nodes
    const double found = tick(p, n, a.placement.nodes);
    Random random(seed);
    for (int i = 0; i < 50; ++i) {
      std::vector<std::uint32_t> nodes = a.placement.nodes;
      for (std::size_t q = 0; q < nodes.size(); ++q)
        if (a.placement.why[q] == Why::automatic)
          nodes[q] = static_cast<std::uint32_t>(random.uniform() * 4);
      if (used(nodes) == 4) {
        EXPECT_LE(found, tick(p, n, nodes) + 1e-6) << seed;
      }
    }
  }
}

TEST(Place, PutsReplicasOnOtherComputersWhereThereIsLeastToDo) {
  Sketch s(4);
  s.plan.parts[3].replicas = 2;
  s.composition.instances[0].node = s.composition.instances[3].node = "p";
  s.composition.instances[1].node = "q";
  s.composition.instances[2].node = "r";
  Nodes n = computers(4);
  n.hosts[3].address = "p";  // s is another process on p
  n.assignment = {{"s", 3, {}, {}}};
  const Answer a = ask(s, n, {1e-3, 3e-3, 2e-3, 1e-3});
  EXPECT_THAT(a.placement.more[3], ElementsAre(2));
  EXPECT_THAT(a.placement.more[0], IsEmpty());
  s.plan.parts[3].replicas = 4;
  EXPECT_THAT(ask(s, n, {1e-3, 3e-3, 2e-3, 1e-3}).placement.more[3], ElementsAre(2, 1, 3));
}

TEST(Place, PutsReplicasWhereTheNodesDocumentSays) {
  Sketch s(2);
  s.plan.parts[0].replicas = 3;
  Nodes n = computers(4);
  n.assignment = {{"a", 1, {3, 0, 2}, {}}};
  const Answer a = ask(s, n);
  EXPECT_EQ(a.placement.nodes[0], 1u);
  EXPECT_THAT(a.placement.more[0], ElementsAre(3, 0));
  EXPECT_EQ(a.placement.division()[0], (composition::Division::Nodes{1, 3, 0}));
}

TEST(Place, RunsAsManyReplicasAsThereAreNodes) {
  Sketch s(2);
  s.plan.parts[1].replicas = 3;
  const Answer a = ask(s, computers(2));
  EXPECT_EQ(a.placement.more[1].size(), 1u);
  ASSERT_EQ(a.words.size(), 1u);
  EXPECT_THAT(a.words[0], HasSubstr("V2159 b is to run on 3 nodes, but there are only 2"));
}

TEST(Place, RefusesReplicasOfWhatStays) {
  Sketch s(1);
  s.add("device", false, {.faces_world = true});
  s.plan.parts[1].replicas = 2;
  const Answer a = ask(s, computers(2));
  ASSERT_EQ(a.words.size(), 1u);
  EXPECT_THAT(a.words[0], HasSubstr("V2158 device cannot have replicas: it is connected to"));
}

TEST(Place, OfHundredsOfPartsEnds) {
  Puzzle p(7, 300);
  const Answer a = ask(p, computers(8), p.cost);
  EXPECT_EQ(used(a.placement.nodes), 8u);
}

}  // namespace
}  // namespace vernier::placement
