// IEEE 1516.1-2010 C++ API, written for Vernier: integer time.
#ifndef RTI_HLAinteger64Time_H_
#define RTI_HLAinteger64Time_H_

#include <RTI/LogicalTime.h>
#include <RTI/time/HLAinteger64Interval.h>

#include <type_traits>

namespace rti1516e
{
   // From 0 to 2^63 - 1; epsilon is 1; encoded as HLAinteger64BE.
   class RTI_EXPORT HLAinteger64Time : public LogicalTime
   {
   public:
      HLAinteger64Time ();
      HLAinteger64Time (Integer64 value);
      // Throws InvalidLogicalTime if it is of another implementation
      HLAinteger64Time (LogicalTime const & value);
      HLAinteger64Time (HLAinteger64Time const & value);
      ~HLAinteger64Time () noexcept override;

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
      template <class T, class = typename std::enable_if<std::is_same<T, HLAinteger64Time>::value>::type>
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

      virtual Integer64 getTime () const;
      virtual void setTime (Integer64 value);

      virtual HLAinteger64Time & operator= (HLAinteger64Time const & value);
      operator Integer64 () const;

   private:
      Integer64 _time;
   };
}

#endif  // RTI_HLAinteger64Time_H_
