// IEEE 1516.1-2010 C++ API, written for Vernier: an array of a number of elements that never changes.
#ifndef RTI_HLAfixedArray_h_
#define RTI_HLAfixedArray_h_

#include <RTI/SpecificConfig.h>
#include <RTI/encoding/DataElement.h>
#include <RTI/encoding/EncodingConfig.h>

#include <vector>

namespace rti1516e
{
   class HLAfixedArrayImplementation;

   // Elements are like the prototype, of which a copy is kept.
   class RTI_EXPORT HLAfixedArray : public DataElement
   {
   public:
      explicit HLAfixedArray (DataElement const & protoType, size_t length);
      HLAfixedArray (HLAfixedArray const & rhs);
      ~HLAfixedArray () override;

      RTI_UNIQUE_PTR<DataElement> clone () const override;
      VariableLengthData encode () const override;
      void encode (VariableLengthData & inData) const override;
      void encodeInto (std::vector<Octet> & buffer) const override;
      void decode (VariableLengthData const & inData) override;
      size_t decodeFrom (std::vector<Octet> const & buffer, size_t index) override;
      size_t getEncodedLength () const override;
      unsigned int getOctetBoundary () const override;
      bool isSameTypeAs (DataElement const & inData) const override;

      virtual bool hasPrototypeSameTypeAs (DataElement const & dataElement) const;
      virtual size_t size () const;

      // Set an element to a copy of the given one, in the memory that it uses. Throws EncoderException past the
      // end and for another type
      virtual void set (size_t index, DataElement const & dataElement);

      // Use the given element, which the caller keeps as long as this one. Throws as set, and for null
      virtual void setElementPointer (size_t index, DataElement * dataElement);

      // Answer the element; it is changed by set only. Throw EncoderException past the end
      virtual DataElement const & get (size_t index) const;
      DataElement const & operator[] (size_t index) const;

   private:
      HLAfixedArray & operator= (HLAfixedArray const & rhs) = delete;

   protected:
      HLAfixedArrayImplementation * _impl;
   };
}

#endif  // RTI_HLAfixedArray_h_
