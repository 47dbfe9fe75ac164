// IEEE 1516.1-2010 C++ API, written for Vernier: makes times and intervals of one implementation.
#ifndef RTI_LogicalTimeFactory_h
#define RTI_LogicalTimeFactory_h

#include <RTI/SpecificConfig.h>
#include <RTI/Exception.h>

#include <memory>
#include <string>

namespace rti1516e
{
   class LogicalTime;
   class LogicalTimeInterval;
   class VariableLengthData;

   // The RTI makes all times and intervals with the federation's factory.
   class RTI_EXPORT LogicalTimeFactory
   {
   public:
      virtual ~LogicalTimeFactory () noexcept;

      // Throw InternalError
      virtual RTI_UNIQUE_PTR<LogicalTime> makeInitial () = 0;
      virtual RTI_UNIQUE_PTR<LogicalTime> makeFinal () = 0;
      virtual RTI_UNIQUE_PTR<LogicalTimeInterval> makeZero () = 0;
      virtual RTI_UNIQUE_PTR<LogicalTimeInterval> makeEpsilon () = 0;

      // Throw InternalError, CouldNotDecode
      virtual RTI_UNIQUE_PTR<LogicalTime> decodeLogicalTime (VariableLengthData const & encodedLogicalTime) = 0;
      virtual RTI_UNIQUE_PTR<LogicalTime> decodeLogicalTime (void * buffer, size_t bufferSize) = 0;
      virtual RTI_UNIQUE_PTR<LogicalTimeInterval> decodeLogicalTimeInterval (
         VariableLengthData const & encodedValue) = 0;
      virtual RTI_UNIQUE_PTR<LogicalTimeInterval> decodeLogicalTimeInterval (void * buffer, size_t bufferSize) = 0;

      virtual std::wstring getName () const = 0;
   };

   // The standard times: "HLAinteger64Time", and "HLAfloat64Time", which is also the default for an empty name.
   // Returns null for any other name.
   class RTI_EXPORT HLAlogicalTimeFactoryFactory
   {
   public:
      static RTI_UNIQUE_PTR<LogicalTimeFactory> makeLogicalTimeFactory (std::wstring const & implementationName);
   };

   // The RTI calls this to obtain a factory. A program with its own time implementation defines this function
   // and passes names that it does not know on to the one above.
   class RTI_EXPORT_FEDTIME LogicalTimeFactoryFactory
   {
   public:
      static RTI_UNIQUE_PTR<LogicalTimeFactory> makeLogicalTimeFactory (std::wstring const & implementationName);
   };
}

#endif  // RTI_LogicalTimeFactory_h
