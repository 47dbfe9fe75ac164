// IEEE 1516.1-2010 C++ API, written for Vernier: makes integer times and intervals.
#ifndef RTI_HLAinteger64TimeFactory_H_
#define RTI_HLAinteger64TimeFactory_H_

#include <RTI/LogicalTimeFactory.h>
#include <RTI/encoding/EncodingConfig.h>

#include <string>

namespace rti1516e
{
   class HLAinteger64Time;
   class HLAinteger64Interval;

   const std::wstring HLAinteger64TimeName (L"HLAinteger64Time");

   class RTI_EXPORT HLAinteger64TimeFactory : public LogicalTimeFactory
   {
   public:
      HLAinteger64TimeFactory ();
      ~HLAinteger64TimeFactory () noexcept override;

      virtual RTI_UNIQUE_PTR<HLAinteger64Time> makeLogicalTime (Integer64 value);
      RTI_UNIQUE_PTR<LogicalTime> makeInitial () override;
      RTI_UNIQUE_PTR<LogicalTime> makeFinal () override;

      virtual RTI_UNIQUE_PTR<HLAinteger64Interval> makeLogicalTimeInterval (Integer64 value);
      RTI_UNIQUE_PTR<LogicalTimeInterval> makeZero () override;
      RTI_UNIQUE_PTR<LogicalTimeInterval> makeEpsilon () override;

      RTI_UNIQUE_PTR<LogicalTime> decodeLogicalTime (VariableLengthData const & encodedLogicalTime) override;
      RTI_UNIQUE_PTR<LogicalTime> decodeLogicalTime (void * buffer, size_t bufferSize) override;
      RTI_UNIQUE_PTR<LogicalTimeInterval> decodeLogicalTimeInterval (VariableLengthData const & encodedValue) override;
      RTI_UNIQUE_PTR<LogicalTimeInterval> decodeLogicalTimeInterval (void * buffer, size_t bufferSize) override;

      std::wstring getName () const override;
   };
}

#endif  // RTI_HLAinteger64TimeFactory_H_
