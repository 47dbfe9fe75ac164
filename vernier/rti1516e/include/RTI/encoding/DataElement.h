// IEEE 1516.1-2010 C++ API, written for Vernier: the base class of all encoding helpers.
#ifndef RTI_DataElement_h_
#define RTI_DataElement_h_

#include <RTI/SpecificConfig.h>
#include <RTI/VariableLengthData.h>
#include <RTI/encoding/EncodingConfig.h>
#include <RTI/encoding/EncodingExceptions.h>

#include <memory>
#include <vector>

namespace rti1516e
{
   // Encoding and decoding throw EncoderException.
   class RTI_EXPORT DataElement
   {
   public:
      virtual ~DataElement ();

      // A copy with its own memory
      virtual RTI_UNIQUE_PTR<DataElement> clone () const = 0;

      virtual VariableLengthData encode () const = 0;
      virtual void encode (VariableLengthData & inData) const = 0;

      // Appends the encoding, after the padding that the octet boundary requires.
      virtual void encodeInto (std::vector<Octet> & buffer) const = 0;

      virtual void decode (VariableLengthData const & inData) = 0;

      // Decodes the element that begins at the index, after padding; returns the index after it.
      virtual size_t decodeFrom (std::vector<Octet> const & buffer, size_t index) = 0;

      virtual size_t getEncodedLength () const = 0;
      virtual unsigned int getOctetBoundary () const = 0;

      virtual bool isSameTypeAs (DataElement const & inData) const;

      // Of the encoded data; equal elements have equal hashes
      virtual Integer64 hash () const;
   };
}

#endif  // RTI_DataElement_h_
