// IEEE 1516.1-2010 C++ API, written for Vernier: makes floating-point times and intervals.
#ifndef RTI_HLAfloat64TimeFactory_H_
#define RTI_HLAfloat64TimeFactory_H_

#include <RTI/LogicalTimeFactory.h>

#include <string>

namespace rti1516e
{
   class HLAfloat64Time;
   class HLAfloat64Interval;

   const std::wstring HLAfloat64TimeName (L"HLAfloat64Time");

   class RTI_EXPORT HLAfloat64TimeFactory : public LogicalTimeFactory
   {
   public:
      HLAfloat64TimeFactory ();
      ~HLAfloat64TimeFactory () noexcept override;

      virtual RTI_UNIQUE_PTR<HLAfloat64Time> makeLogicalTime (double value);
      RTI_UNIQUE_PTR<LogicalTime> makeInitial () override;
      RTI_UNIQUE_PTR<LogicalTime> makeFinal () override;

      virtual RTI_UNIQUE_PTR<HLAfloat64Interval> makeLogicalTimeInterval (double value);
      RTI_UNIQUE_PTR<LogicalTimeInterval> makeZero () override;
      RTI_UNIQUE_PTR<LogicalTimeInterval> makeEpsilon () override;

      RTI_UNIQUE_PTR<LogicalTime> decodeLogicalTime (VariableLengthData const & encodedLogicalTime) override;
      RTI_UNIQUE_PTR<LogicalTime> decodeLogicalTime (void * buffer, size_t bufferSize) override;
      RTI_UNIQUE_PTR<LogicalTimeInterval> decodeLogicalTimeInterval (VariableLengthData const & encodedValue) override;
      RTI_UNIQUE_PTR<LogicalTimeInterval> decodeLogicalTimeInterval (void * buffer, size_t bufferSize) override;

      std::wstring getName () const override;
   };
}

#endif  // RTI_HLAfloat64TimeFactory_H_
