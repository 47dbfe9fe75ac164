// IEEE 1516.1-2010 C++ API, written for Vernier: a span of floating-point time.
#ifndef RTI_HLAfloat64Interval_H_
#define RTI_HLAfloat64Interval_H_

#include <RTI/LogicalTimeInterval.h>

#include <type_traits>

namespace rti1516e
{
   // Finite numbers, at least 0; epsilon is the smallest positive number; encoded as HLAfloat64BE.
   class RTI_EXPORT HLAfloat64Interval : public LogicalTimeInterval
   {
   public:
      HLAfloat64Interval ();
      HLAfloat64Interval (double value);
      // Throws InvalidLogicalTimeInterval if it is of another implementation
      HLAfloat64Interval (LogicalTimeInterval const & value);
      HLAfloat64Interval (HLAfloat64Interval const & value);
      ~HLAfloat64Interval () noexcept override;

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
      template <class T, class = typename std::enable_if<std::is_same<T, HLAfloat64Interval>::value>::type>
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

      virtual double getInterval () const;
      virtual void setInterval (double value);

      virtual HLAfloat64Interval & operator= (HLAfloat64Interval const & value);
      operator double () const;

   private:
      double _interval;
   };
}

#endif  // RTI_HLAfloat64Interval_H_
