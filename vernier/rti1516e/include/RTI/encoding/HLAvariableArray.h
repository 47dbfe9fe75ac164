// IEEE 1516.1-2010 C++ API, written for Vernier: an array of a number of elements that is encoded with it.
#ifndef RTI_HLAvariableArray_h_
#define RTI_HLAvariableArray_h_

#include <RTI/SpecificConfig.h>
#include <RTI/encoding/DataElement.h>
#include <RTI/encoding/EncodingConfig.h>

#include <vector>

namespace rti1516e
{
   class HLAvariableArrayImplementation;

   // Elements are like the prototype, of which a copy is kept.
   class RTI_EXPORT HLAvariableArray : public DataElement
   {
   public:
      explicit HLAvariableArray (DataElement const & prototype);
      HLAvariableArray (HLAvariableArray const & rhs);
      ~HLAvariableArray () override;

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

      // Add a copy, or the element itself, which the caller keeps as long as this one. Throw EncoderException for
      // another type and for null
      virtual void addElement (DataElement const & dataElement);
      virtual void addElementPointer (DataElement * dataElement);

      // Set an element to a copy of the given one, in the memory that it uses. Throws EncoderException past the
      // end and for another type
      virtual void set (size_t index, DataElement const & dataElement);

      // Use the given element, which the caller keeps as long as this one. Throws as set, and for null
      virtual void setElementPointer (size_t index, DataElement * dataElement);

      // Answer the element; it is changed by set only. Throw EncoderException past the end
      virtual DataElement const & get (size_t index) const;
      DataElement const & operator[] (size_t index) const;

   private:
      HLAvariableArray & operator= (HLAvariableArray const & rhs) = delete;

   protected:
      HLAvariableArrayImplementation * _impl;
   };
}

#endif  // RTI_HLAvariableArray_h_
