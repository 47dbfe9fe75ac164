// IEEE 1516.1-2010 C++ API, written for Vernier: makes ambassadors.
#ifndef RTI_RTIambassadorFactory_h
#define RTI_RTIambassadorFactory_h

#include <RTI/SpecificConfig.h>
#include <RTI/Exception.h>

#include <memory>
#include <string>
#include <vector>

namespace rti1516e
{
   class RTIambassador;

   class RTI_EXPORT RTIambassadorFactory
   {
   public:
      RTIambassadorFactory ();
      virtual ~RTIambassadorFactory () noexcept;

      // Throws RTIinternalError
      RTI_UNIQUE_PTR<RTIambassador> createRTIambassador ();
   };
}

#endif  // RTI_RTIambassadorFactory_h
