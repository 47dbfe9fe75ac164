// IEEE 1516.1-2010 C++ API, written for Vernier: a discriminant and the element that it selects.
#ifndef RTI_HLAvariantRecord_h_
#define RTI_HLAvariantRecord_h_

#include <RTI/SpecificConfig.h>
#include <RTI/encoding/DataElement.h>
#include <RTI/encoding/EncodingConfig.h>

#include <vector>

namespace rti1516e
{
   class HLAvariantRecordImplementation;

   // Encodes the variant that was added or set last; after decoding, the discriminant selects the variant.
   class RTI_EXPORT HLAvariantRecord : public DataElement
   {
   public:
      // Discriminants have the type of the prototype, which is copied.
      explicit HLAvariantRecord (DataElement const & discriminantPrototype);
      HLAvariantRecord (HLAvariantRecord const & rhs);
      ~HLAvariantRecord () override;

      RTI_UNIQUE_PTR<DataElement> clone () const override;
      VariableLengthData encode () const override;
      void encode (VariableLengthData & inData) const override;
      void encodeInto (std::vector<Octet> & buffer) const override;
      void decode (VariableLengthData const & inData) override;
      size_t decodeFrom (std::vector<Octet> const & buffer, size_t index) override;
      size_t getEncodedLength () const override;
      unsigned int getOctetBoundary () const override;
      bool isSameTypeAs (DataElement const & inData) const override;

      // Whether the element has the type that the discriminant selects. Throws EncoderException if it selects none
      virtual bool isSameTypeAs (DataElement const & discriminant, DataElement const & inData) const;
      virtual bool hasMatchingDiscriminantTypeAs (DataElement const & dataElement) const;

      // Add a copy, or the element itself, which must then outlive this one. Throw EncoderException for a
      // discriminant of another type or one that was already added, and for null
      virtual void addVariant (DataElement const & discriminant, DataElement const & valuePrototype);
      virtual void addVariantPointer (DataElement const & discriminant, DataElement * valuePtr);

      // A discriminant that selects no element is encoded alone. Throws EncoderException for one of another type
      virtual void setDiscriminant (DataElement const & discriminant);

      // Throw EncoderException for a discriminant of another type or without an element, for an element of
      // another type, and for null
      virtual void setVariant (DataElement const & discriminant, DataElement const & value);
      virtual void setVariantPointer (DataElement const & discriminant, DataElement * valuePtr);

      virtual DataElement const & getDiscriminant () const;
      // Throws EncoderException if the discriminant selects none
      virtual DataElement const & getVariant () const;

   private:
      HLAvariantRecord & operator= (HLAvariantRecord const & rhs) = delete;

   protected:
      HLAvariantRecordImplementation * _impl;
   };
}

#endif  // RTI_HLAvariantRecord_h_
