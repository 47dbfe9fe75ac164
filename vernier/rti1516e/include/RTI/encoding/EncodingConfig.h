// IEEE 1516.1-2010 C++ API, written for Vernier: numbers of fixed size.
#ifndef RTI_EncodingConfig_h_
#define RTI_EncodingConfig_h_

#include <utility>
#include <vector>

namespace rti1516e
{
   typedef char Integer8;
   typedef short Integer16;
   typedef int Integer32;
#if defined(RTI_USE_64BIT_LONGS)
   typedef long Integer64;
#else
   typedef long long Integer64;
#endif

   typedef Integer8 Octet;
   typedef std::pair<Octet, Octet> OctetPair;
}

#endif  // RTI_EncodingConfig_h_
