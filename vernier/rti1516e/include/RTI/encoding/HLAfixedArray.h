// IEEE 1516.1-2010 C++ API, written for Vernier: an array with a constant number of elements.
#ifndef RTI_HLAfixedArray_h_
#define RTI_HLAfixedArray_h_

#include <RTI/SpecificConfig.h>
#include <RTI/encoding/DataElement.h>
#include <RTI/encoding/EncodingConfig.h>

#include <vector>

namespace rti1516e
{
   class HLAfixedArrayImplementation;

   // Elements have the type of the prototype, which is copied.
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

      // Sets an element, in the memory it uses, to the value of the given one. Throws EncoderException if the index
      // is out of range or the type differs
      virtual void set (size_t index, DataElement const & dataElement);

      // Uses the given element, which must outlive this one. Throws as set, and for null
      virtual void setElementPointer (size_t index, DataElement * dataElement);

      // Return the element; only set changes it. Throw EncoderException if the index is out of range
      virtual DataElement const & get (size_t index) const;
      DataElement const & operator[] (size_t index) const;

   private:
      HLAfixedArray & operator= (HLAfixedArray const & rhs) = delete;

   protected:
      HLAfixedArrayImplementation * _impl;
   };
}

#endif  // RTI_HLAfixedArray_h_
