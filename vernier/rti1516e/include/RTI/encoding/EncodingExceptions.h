// IEEE 1516.1-2010 C++ API, written for Vernier: what encoding helpers throw.
#ifndef RTI_EncodingExceptions_h_
#define RTI_EncodingExceptions_h_

#include <RTI/SpecificConfig.h>
#include <RTI/Exception.h>
#include <RTI/encoding/EncodingConfig.h>

#include <string>

namespace rti1516e
{
   class RTI_EXPORT EncoderException : public Exception
   {
   public:
      EncoderException (std::wstring const & message) noexcept;
      ~EncoderException () noexcept override;
      EncoderException (EncoderException const &) = default;
      EncoderException & operator= (EncoderException const &) = default;
      std::wstring what () const noexcept override;

   private:
      std::wstring _msg;
   };
}

#endif  // RTI_EncodingExceptions_h_
