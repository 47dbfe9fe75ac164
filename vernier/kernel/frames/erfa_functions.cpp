// The elementary functions that ERFA calls (CMakeLists.txt), with the same bits on every processor.
#include "vernier/kernel/elementary/elementary.hpp"

namespace elementary = vernier::elementary;

extern "C" {

double vernier_erfa_atan(double x) { return elementary::atan(x); }
double vernier_erfa_atan2(double y, double x) { return elementary::atan2(y, x); }
double vernier_erfa_cos(double x) { return elementary::cos(x); }
double vernier_erfa_sin(double x) { return elementary::sin(x); }
void vernier_erfa_sincos(double x, double* s, double* c) {
  *s = elementary::sin(x);
  *c = elementary::cos(x);
}

}  // extern "C"
