#pragma once

// The standard C++ interface of IEEE 1516.1-2010, ours or another RTI's; the only place that
// includes it. Headers of other RTIs may contain dynamic exception specifications, which C++20 no
// longer has.

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#ifdef VERNIER_OTHER_RTI
#include <algorithm>
#include <cstring>
#include <iosfwd>
#include <ostream>
#include <stdexcept>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wkeyword-macro"
#endif
#define throw(...)
#endif
#include <RTI/NullFederateAmbassador.h>
#include <RTI/RTI1516.h>
#include <RTI/time/HLAinteger64Interval.h>
#include <RTI/time/HLAinteger64Time.h>
#ifdef VERNIER_OTHER_RTI
#undef throw
#pragma GCC diagnostic pop
#endif
