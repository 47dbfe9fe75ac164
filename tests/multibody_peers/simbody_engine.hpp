#pragma once

#include <memory>
#include <vector>

// What simbody.cpp needs of Simbody, whose headers are C++17 at most; in terms of Simbody:
// quaternions with the scalar first, speeds of ball and free hinges in the axes of the outboard
// node.
namespace vernier::peers {

enum class SimbodyHinge { fixed, pin, slider_z, cylinder, universal, ball, free };

struct SimbodyBody {
  SimbodyHinge hinge;
  int parent;  // a body before this one, or -1
  double outboard_R[9], outboard_p[3], inboard_R[9], inboard_p[3];
  double mass, centre[3];
  double inertia[6];  // about the origin: xx yy zz xy xz yz
};

class SimbodyEngine {
 public:
  SimbodyEngine(const std::vector<SimbodyBody>&, const double gravity[3]);
  ~SimbodyEngine();
  int coordinates() const;
  int speeds() const;
  int first_coordinate(int body) const;
  int first_speed(int body) const;
  void add_state(const std::vector<double>& q, const std::vector<double>& u,
                 const std::vector<double>& force);
  void evaluate(int state);
  double udot(int speed) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace vernier::peers
