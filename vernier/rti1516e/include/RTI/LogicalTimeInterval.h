// IEEE 1516.1-2010 C++ API, written for Vernier: a span of logical time.
#ifndef RTI_LogicalTimeInterval_h
#define RTI_LogicalTimeInterval_h

#include <RTI/SpecificConfig.h>
#include <RTI/Exception.h>
#include <RTI/VariableLengthData.h>

#include <iosfwd>
#include <string>

namespace rti1516e
{
   class LogicalTime;

   class RTI_EXPORT LogicalTimeInterval
   {
   public:
      virtual ~LogicalTimeInterval () noexcept;

      virtual void setZero () = 0;
      virtual bool isZero () const = 0;
      virtual void setEpsilon () = 0;
      virtual bool isEpsilon () const = 0;

      // Throw InvalidLogicalTimeInterval if the other is of another implementation
      virtual LogicalTimeInterval & operator= (LogicalTimeInterval const & value) = 0;
      virtual bool operator> (LogicalTimeInterval const & value) const = 0;
      virtual bool operator< (LogicalTimeInterval const & value) const = 0;
      virtual bool operator== (LogicalTimeInterval const & value) const = 0;
      virtual bool operator>= (LogicalTimeInterval const & value) const = 0;
      virtual bool operator<= (LogicalTimeInterval const & value) const = 0;

      // Throw IllegalTimeArithmetic, InvalidLogicalTimeInterval
      virtual LogicalTimeInterval & operator+= (LogicalTimeInterval const & addend) = 0;
      virtual LogicalTimeInterval & operator-= (LogicalTimeInterval const & subtrahend) = 0;

      // Becomes minuend - subtrahend. Throws IllegalTimeArithmetic, InvalidLogicalTime
      virtual void setToDifference (LogicalTime const & minuend, LogicalTime const & subtrahend) = 0;

      virtual VariableLengthData encode () const = 0;
      // Fills a buffer and returns the length. Throws CouldNotEncode
      virtual size_t encode (void * buffer, size_t bufferSize) const = 0;
      virtual size_t encodedLength () const = 0;

      // Throw InternalError, CouldNotDecode
      virtual void decode (VariableLengthData const & encodedValue) = 0;
      virtual void decode (void * buffer, size_t bufferSize) = 0;

      virtual std::wstring toString () const = 0;

      // The name that createFederationExecution accepts
      virtual std::wstring implementationName () const = 0;

   protected:
      LogicalTimeInterval () = default;
      LogicalTimeInterval (LogicalTimeInterval const &) = default;
   };

   RTI_EXPORT std::wostream & operator<< (std::wostream &, LogicalTimeInterval const &);
}

#endif  // RTI_LogicalTimeInterval_h
