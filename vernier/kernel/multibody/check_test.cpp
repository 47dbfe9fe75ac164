#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "vernier/base/diagnostic.hpp"
#include "vernier/kernel/multibody/cases_test.hpp"

namespace vernier::multibody {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "code: message" of everything found in case B after a change.
template <class F>
std::vector<std::string> found(F change) {
  Model model = cases::bus().model;
  change(model);
  std::vector<std::string> out;
  for (const Finding& f : check(model)) {
    out.push_back((f.severity == Severity::error ? "" : "warning ") + f.code + ": " + f.message);
  }
  return out;
}

TEST(Check, FindsNothingWrongWithGoodModels) {
  EXPECT_THAT(found([](Model&) {}), IsEmpty());
  EXPECT_THAT(check(cases::arm().model), IsEmpty());
  EXPECT_THAT(check(cases::pendulum().model), IsEmpty());
  EXPECT_THAT(found([](Model& m) {
                m.bodies[2].hinge.parent = ground, m.bodies[2].hinge.outboard = Node{};
              }),
              IsEmpty())
      << "several bodies may hang at the ground";
}

TEST(Check, NamesTheBodiesOfALoop) {
  EXPECT_THAT(
      found([](Model& m) {
        m.bodies[1].hinge.parent = 2;
        m.bodies[2].hinge.parent = 1;
        for (int b : {1, 2}) m.bodies[b].hinge.outboard = Node{};
      }),
      ElementsAre("V1601: the hinges make a loop: \"pin\", \"universal\", and again \"pin\""));
}

TEST(Check, WantsParentsThatAreThere) {
  EXPECT_THAT(found([](Model& m) {
                m.bodies[1].hinge.parent = 7;
                m.bodies[1].hinge.outboard = Node{};
              }),
              ElementsAre("V1602: body \"pin\" is joined to body 7, which does not exist"));
}

TEST(Check, WantsFiniteNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(found([&](Model& m) { m.bodies[1].inertia.inertia(0, 1) = nan; }),
              ElementsAre("V1603: the inertia of body \"pin\" holds a number that is not finite"));
  EXPECT_THAT(
      found([&](Model& m) { m.bodies[0].modes->J2[2](1, 1) = nan; }),
      ElementsAre("V1603: a modal integral of body \"bus\" holds a number that is not finite"));
  EXPECT_THAT(
      found([&](Model& m) { m.bodies[2].hinge.outboard.phi_r(0, 0) = nan; }),
      ElementsAre(
          "V1603: the outboard node of body \"universal\" holds a number that is not finite"));
  EXPECT_THAT(found([&](Model& m) { m.gravity[1] = nan; }),
              ElementsAre("V1603: the gravity holds a number that is not finite"));
}

TEST(Check, WantsModalDataOfOneSize) {
  EXPECT_THAT(found([](Model& m) { m.bodies[0].modes->H0.conservativeResize(3, 1); }),
              ElementsAre("V1604: body \"bus\": its modal integrals are not all of 2 modes"));
  EXPECT_THAT(
      found([](Model& m) { m.bodies[1].hinge.outboard.phi_t.conservativeResize(3, 1); }),
      ElementsAre("V1604: body \"pin\": the outboard node of body \"pin\" has 1 mode shapes, but "
                  "the body has 2 modes"));
  EXPECT_THAT(found([](Model& m) { m.bodies[0].modes->order = 3; }),
              ElementsAre("V1604: body \"bus\": the order of its modes is 3, not 0, 1 or 2"));
  EXPECT_THAT(found([](Model& m) {
                m.bodies[0].modes->order = 1;
                m.bodies[0].modes->J2.clear();
              }),
              IsEmpty())
      << "order 1 needs no J2";
}

TEST(Check, WantsInertiaThatABodyCanHave) {
  EXPECT_THAT(found([](Model& m) { m.bodies[1].inertia.mass = -1.0; }),
              ElementsAre("V1605: body \"pin\" has negative mass"));
  EXPECT_THAT(found([](Model& m) { m.bodies[1].inertia.inertia(0, 1) += 1.0; }),
              ElementsAre("V1605: the inertia of body \"pin\" is not symmetric"));
  EXPECT_THAT(
      found([](Model& m) { m.bodies[1].inertia.inertia = Vector3(5, -2, 6).asDiagonal(); }),
      ElementsAre("V1605: the inertia of body \"pin\" about its centre of mass is not positive: "
                  "-2.26 kg m^2 about one axis"));
  EXPECT_THAT(
      found([](Model& m) {
        m.bodies[1].inertia.moment.setZero();
        m.bodies[1].inertia.inertia = Vector3(3, 9, 4).asDiagonal();
      }),
      ElementsAre("warning V1606: the inertia of body \"pin\" breaks the triangle inequality: 9 > "
                  "3 + 4 kg m^2"));
}

TEST(Check, WantsModesThatTheMassAllows) {
  EXPECT_THAT(found([](Model& m) {
                m.bodies[0].modes->mass.setZero();
                m.bodies[0].modes->order = 0;
              }),
              ElementsAre("V1607: the modal mass of body \"bus\" is not positive definite"));
  EXPECT_THAT(
      found([](Model& m) {
        m.bodies[0].modes->S1 *= 1000.0;  // millimetres
        m.bodies[0].modes->order = 0;
      }),
      ElementsAre("V1607: the modes of body \"bus\" move more than its mass and inertia allow: "
                  "units or normalisation differ"));
  EXPECT_THAT(found([](Model& m) { m.bodies[0].modes->stiffness(0, 1) = 5.0; }),
              ElementsAre("V1610: the modal stiffness of body \"bus\" is not symmetric"));
  EXPECT_THAT(
      found([](Model& m) { m.bodies[0].modes->damping(1, 1) = -0.1; }),
      ElementsAre("warning V1613: the modal damping of body \"bus\" is negative for some motion"));
}

TEST(Check, WantsIntegralsThatAgree) {
  EXPECT_THAT(
      found([](Model& m) { m.bodies[0].modes->N0[0].transposeInPlace(); }),
      ElementsAre("V1608: the modal integrals of body \"bus\" break N0_i - N0_i^T = -skew(H0_i)"));
  EXPECT_THAT(found([](Model& m) { m.bodies[0].modes->H1[1] *= -1.0; }),
              ElementsAre("V1608: the modal integrals of body \"bus\" break H1_i[l] = -H1_l[i]"));
  EXPECT_THAT(found([](Model& m) { m.bodies[0].modes->J2[1] *= 2.0; }),
              ElementsAre("V1608: the modal integrals of body \"bus\" break J2_il = J2_li^T"));
  EXPECT_THAT(
      found([](Model& m) { m.bodies[0].modes->J2[0] *= 2.0; }),
      ElementsAre("V1608: the modal integrals of body \"bus\" break trace(J2_ii) = 2 Mff_ii"));
  EXPECT_THAT(
      found([](Model& m) { m.bodies[0].modes->J2[0] *= 0.9; }),
      ElementsAre("warning V1608: the modal integrals of body \"bus\" break trace(J2_ii) = 2 "
                  "Mff_ii; only nodes with inertia of their own may"));
}

TEST(Check, WantsInertiaAlongEveryMotionOfALeaf) {
  EXPECT_THAT(
      found([](Model& m) { m.bodies[1].inertia = Inertia{}; }),
      ElementsAre("V1609: body \"pin\" and what hangs at it have no mass, but its hinge moves"));
  EXPECT_THAT(found([](Model& m) {
                m.bodies[1].inertia = rigid_inertia({cases::lump(3, {0, 0, 1})});
              }),
              ElementsAre("V1609: body \"pin\" has no inertia along a motion of its hinge"));
  EXPECT_THAT(found([](Model& m) {
                m.bodies[1].inertia = Inertia{};
                m.bodies[1].hinge.kind = HingeKind::fixed;
              }),
              IsEmpty());
  EXPECT_THAT(found([](Model& m) {
                m.bodies[1].inertia = Inertia{};
                m.bodies[1].hinge.rotor[0] = 0.1;
              }),
              IsEmpty());
}

TEST(Check, WantsAxesThatAreARotation) {
  EXPECT_THAT(
      found([](Model& m) { m.bodies[1].hinge.outboard.pose.R(0, 0) = -1.0; }),
      ElementsAre("V1611: the outboard node of body \"pin\" has axes that are not a rotation"));
  EXPECT_THAT(
      found([](Model& m) {
        m.bodies[0].nodes[0].name = "camera";
        m.bodies[0].nodes[0].pose.R *= 1.01;
      }),
      ElementsAre("V1611: node \"camera\" of body \"bus\" has axes that are not a rotation"));
}

TEST(Check, WantsBodies) {
  EXPECT_THAT(found([](Model& m) { m.bodies.clear(); }),
              ElementsAre("V1612: the model has no bodies"));
}

TEST(Check, ATreeIsNotMadeOfABadModel) {
  Model model = cases::bus().model;
  model.bodies[1].inertia.mass = -1.0;
  EXPECT_THROW(Tree{model}, ConfigurationError);
}

// lumps that turn: identities hold, and the integrals have the rotary part
TEST(ModalIntegrals, OfLumpsWithInertiaOfTheirOwn) {
  Lump l = cases::lump(2, {1, 0.2, 0.3}, {0.1, 0, 0.2});
  l.inertia = Vector3(0.1, 0.2, 0.25).asDiagonal();
  l.rotation = cases::shapes({0.3, -0.2, 0.1});
  const Modes with = modal_integrals({l});
  l.rotation.resize(3, 0);
  const Modes without = modal_integrals({l});
  const Vector3 turn(0.3, -0.2, 0.1);
  EXPECT_NEAR(with.mass(0, 0) - without.mass(0, 0), turn.dot(l.inertia * turn), 1e-16);
  EXPECT_LT((with.H0 - without.H0 - l.inertia * turn).norm(), 1e-16);
  Model model;
  model.bodies.resize(1);
  model.bodies[0].inertia =
      rigid_inertia({l, cases::lump(5, {-1, 1, 1}), cases::lump(5, {1, -1, 2})});
  model.bodies[0].modes = with;
  const auto findings = check(model);
  ASSERT_EQ(findings.size(), 1u) << "only the trace may be short";
  EXPECT_EQ(findings[0].severity, Severity::warning);
}

}  // namespace
}  // namespace vernier::multibody
