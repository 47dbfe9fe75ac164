// IEEE 1516.1-2010 C++ API, written for Vernier: a point of logical time.
#ifndef RTI_LogicalTime_h
#define RTI_LogicalTime_h

#include <RTI/SpecificConfig.h>
#include <RTI/Exception.h>
#include <RTI/VariableLengthData.h>

#include <iosfwd>
#include <string>

namespace rti1516e
{
   class LogicalTimeInterval;

   class RTI_EXPORT LogicalTime
   {
   public:
      virtual ~LogicalTime () noexcept;

      virtual void setInitial () = 0;
      virtual bool isInitial () const = 0;
      virtual void setFinal () = 0;
      virtual bool isFinal () const = 0;

      // Throw InvalidLogicalTime if the other is of another implementation
      virtual LogicalTime & operator= (LogicalTime const & value) = 0;
      virtual bool operator> (LogicalTime const & value) const = 0;
      virtual bool operator< (LogicalTime const & value) const = 0;
      virtual bool operator== (LogicalTime const & value) const = 0;
      virtual bool operator>= (LogicalTime const & value) const = 0;
      virtual bool operator<= (LogicalTime const & value) const = 0;

      // Throw IllegalTimeArithmetic, InvalidLogicalTimeInterval
      virtual LogicalTime & operator+= (LogicalTimeInterval const & addend) = 0;
      virtual LogicalTime & operator-= (LogicalTimeInterval const & subtrahend) = 0;

      virtual VariableLengthData encode () const = 0;
      // Fills a buffer and returns the length. Throws CouldNotEncode
      virtual size_t encode (void * buffer, size_t bufferSize) const = 0;
      virtual size_t encodedLength () const = 0;

      // Throw InternalError, CouldNotDecode
      virtual void decode (VariableLengthData const & encodedLogicalTime) = 0;
      virtual void decode (void * buffer, size_t bufferSize) = 0;

      virtual std::wstring toString () const = 0;

      // The name that createFederationExecution accepts
      virtual std::wstring implementationName () const = 0;

   protected:
      LogicalTime () = default;
      LogicalTime (LogicalTime const &) = default;
   };

   RTI_EXPORT std::wostream & operator<< (std::wostream &, LogicalTime const &);
}

#endif  // RTI_LogicalTime_h
