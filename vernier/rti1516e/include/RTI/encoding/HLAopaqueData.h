// IEEE 1516.1-2010 C++ API, written for Vernier: uninterpreted bytes.
#ifndef RTI_HLAopaqueData_h_
#define RTI_HLAopaqueData_h_

#include <RTI/SpecificConfig.h>
#include <RTI/encoding/DataElement.h>
#include <RTI/encoding/EncodingConfig.h>

#include <vector>

namespace rti1516e
{
   class HLAopaqueDataImplementation;

   class RTI_EXPORT HLAopaqueData : public DataElement
   {
   public:
      HLAopaqueData ();
      // Copies the bytes.
      HLAopaqueData (Octet const * inData, size_t dataSize);
      // Uses a buffer of the caller, whose first dataSize bytes are the value. Throws EncoderException for null, for
      // an empty buffer, and if dataSize exceeds bufferSize
      HLAopaqueData (Octet ** inData, size_t bufferSize, size_t dataSize);
      HLAopaqueData (HLAopaqueData const & rhs);
      ~HLAopaqueData () override;

      RTI_UNIQUE_PTR<DataElement> clone () const override;
      VariableLengthData encode () const override;
      void encode (VariableLengthData & inData) const override;
      void encodeInto (std::vector<Octet> & buffer) const override;
      void decode (VariableLengthData const & inData) override;
      size_t decodeFrom (std::vector<Octet> const & buffer, size_t index) override;
      size_t getEncodedLength () const override;
      unsigned int getOctetBoundary () const override;

      virtual size_t bufferLength () const;
      virtual size_t dataLength () const;

      // As the constructor
      virtual void setDataPointer (Octet ** inData, size_t bufferSize, size_t dataSize);
      // Copies the bytes. Throws EncoderException if they do not fit into the caller's buffer
      virtual void set (Octet const * inData, size_t dataSize);
      virtual Octet const * get () const;
      operator Octet const * () const;

   private:
      HLAopaqueData & operator= (HLAopaqueData const & rhs) = delete;

   protected:
      HLAopaqueDataImplementation * _impl;
   };
}

#endif  // RTI_HLAopaqueData_h_
