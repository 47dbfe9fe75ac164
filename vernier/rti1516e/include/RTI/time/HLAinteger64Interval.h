// IEEE 1516.1-2010 C++ API, written for Vernier: a span of integer time.
#ifndef RTI_HLAinteger64Interval_H_
#define RTI_HLAinteger64Interval_H_

#include <RTI/LogicalTimeInterval.h>
#include <RTI/encoding/EncodingConfig.h>

#include <type_traits>

namespace rti1516e
{
   // From 0 to 2^63 - 1; epsilon is 1; encoded as HLAinteger64BE.
   class RTI_EXPORT HLAinteger64Interval : public LogicalTimeInterval
   {
   public:
      HLAinteger64Interval ();
      HLAinteger64Interval (Integer64 value);
      // Throws InvalidLogicalTimeInterval if it is of another implementation
      HLAinteger64Interval (LogicalTimeInterval const & value);
      HLAinteger64Interval (HLAinteger64Interval const & value);
      ~HLAinteger64Interval () noexcept override;

      void setZero () override;
      bool isZero () const override;
      void setEpsilon () override;
      bool isEpsilon () const override;

      LogicalTimeInterval & operator= (LogicalTimeInterval const & value) override;
      LogicalTimeInterval & operator+= (LogicalTimeInterval const & addend) override;
      LogicalTimeInterval & operator-= (LogicalTimeInterval const & subtrahend) override;
      bool operator> (LogicalTimeInterval const & value) const override;
      bool operator< (LogicalTimeInterval const & value) const override;
      bool operator== (LogicalTimeInterval const & value) const override;
      bool operator>= (LogicalTimeInterval const & value) const override;
      bool operator<= (LogicalTimeInterval const & value) const override;

      // not in the standard: without it, == of two intervals is ambiguous in C++20
      template <class T, class = typename std::enable_if<std::is_same<T, HLAinteger64Interval>::value>::type>
      bool operator== (T const & value) const
      {
         return _interval == value._interval;
      }

      void setToDifference (LogicalTime const & minuend, LogicalTime const & subtrahend) override;

      VariableLengthData encode () const override;
      size_t encode (void * buffer, size_t bufferSize) const override;
      size_t encodedLength () const override;
      void decode (VariableLengthData const & encodedValue) override;
      void decode (void * buffer, size_t bufferSize) override;

      std::wstring toString () const override;
      std::wstring implementationName () const override;

      virtual Integer64 getInterval () const;
      virtual void setInterval (Integer64 value);

      virtual HLAinteger64Interval & operator= (HLAinteger64Interval const & value);
      operator Integer64 () const;

   private:
      Integer64 _interval;
   };
}

#endif  // RTI_HLAinteger64Interval_H_
