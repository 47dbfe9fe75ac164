// IEEE 1516.1-2010 C++ API, written for Vernier: floating-point time.
#ifndef RTI_HLAfloat64Time_H_
#define RTI_HLAfloat64Time_H_

#include <RTI/LogicalTime.h>
#include <RTI/time/HLAfloat64Interval.h>

#include <type_traits>

namespace rti1516e
{
   // Finite numbers, at least 0; epsilon is the smallest positive number; encoded as HLAfloat64BE.
   class RTI_EXPORT HLAfloat64Time : public LogicalTime
   {
   public:
      HLAfloat64Time ();
      HLAfloat64Time (double const & value);
      // Throws InvalidLogicalTime if it is of another implementation
      HLAfloat64Time (LogicalTime const & value);
      HLAfloat64Time (HLAfloat64Time const & value);
      ~HLAfloat64Time () noexcept override;

      void setInitial () override;
      bool isInitial () const override;
      void setFinal () override;
      bool isFinal () const override;

      LogicalTime & operator= (LogicalTime const & value) override;
      LogicalTime & operator+= (LogicalTimeInterval const & addend) override;
      LogicalTime & operator-= (LogicalTimeInterval const & subtrahend) override;
      bool operator> (LogicalTime const & value) const override;
      bool operator< (LogicalTime const & value) const override;
      bool operator== (LogicalTime const & value) const override;
      bool operator>= (LogicalTime const & value) const override;
      bool operator<= (LogicalTime const & value) const override;

      // not in the standard: without it, == of two times is ambiguous in C++20
      template <class T, class = typename std::enable_if<std::is_same<T, HLAfloat64Time>::value>::type>
      bool operator== (T const & value) const
      {
         return _time == value._time;
      }

      VariableLengthData encode () const override;
      size_t encode (void * buffer, size_t bufferSize) const override;
      size_t encodedLength () const override;
      void decode (VariableLengthData const & encodedLogicalTime) override;
      void decode (void * buffer, size_t bufferSize) override;

      std::wstring toString () const override;
      std::wstring implementationName () const override;

      virtual double getTime () const;
      virtual void setTime (double value);

      virtual HLAfloat64Time & operator= (HLAfloat64Time const & value);
      operator double () const;

   private:
      double _time;
   };
}

#endif  // RTI_HLAfloat64Time_H_
