// IEEE 1516.1-2010 C++ API, written for Vernier: encoding helpers of basic types.
#ifndef RTI_BasicDataElements_h_
#define RTI_BasicDataElements_h_

#include <RTI/SpecificConfig.h>
#include <RTI/encoding/DataElement.h>
#include <RTI/encoding/EncodingConfig.h>

#include <string>
#include <vector>

// A helper holds its own value, or uses one of the caller's, given to the constructor or to setDataPointer,
// which must outlive it. Copies hold their own values; an assignment changes the value in place. A null pointer
// in the constructor means an own value; setDataPointer refuses it with EncoderException.
#define DEFINE_ENCODING_HELPER_CLASS(EncodableDataType, SimpleDataType)                                        \
   class RTI_EXPORT EncodableDataType : public DataElement                                                     \
   {                                                                                                           \
   public:                                                                                                     \
      EncodableDataType ();                                                                                    \
      explicit EncodableDataType (SimpleDataType const & inData);                                              \
      explicit EncodableDataType (SimpleDataType * inData);                                                    \
      EncodableDataType (EncodableDataType const & rhs);                                                       \
      ~EncodableDataType () override;                                                                          \
      EncodableDataType & operator= (EncodableDataType const & rhs);                                           \
                                                                                                               \
      RTI_UNIQUE_PTR<DataElement> clone () const override;                                                     \
      VariableLengthData encode () const override;                                                             \
      void encode (VariableLengthData & inData) const override;                                                \
      void encodeInto (std::vector<Octet> & buffer) const override;                                            \
      void decode (VariableLengthData const & inData) override;                                                \
      size_t decodeFrom (std::vector<Octet> const & buffer, size_t index) override;                            \
      size_t getEncodedLength () const override;                                                               \
      unsigned int getOctetBoundary () const override;                                                         \
      Integer64 hash () const override;                                                                        \
                                                                                                               \
      virtual void setDataPointer (SimpleDataType * inData);                                                   \
      virtual void set (SimpleDataType inData);                                                                \
      virtual SimpleDataType get () const;                                                                     \
      EncodableDataType & operator= (SimpleDataType rhs);                                                      \
      operator SimpleDataType () const;                                                                        \
                                                                                                               \
   private:                                                                                                    \
      SimpleDataType _own;                                                                                     \
      SimpleDataType * _value;                                                                                 \
   };

// one list for declarations and definitions
#define RTI_BASIC_DATA_ELEMENTS(_)     \
   _ (HLAASCIIchar, char)              \
   _ (HLAASCIIstring, std::string)     \
   _ (HLAboolean, bool)                \
   _ (HLAbyte, Octet)                  \
   _ (HLAfloat32BE, float)             \
   _ (HLAfloat32LE, float)             \
   _ (HLAfloat64BE, double)            \
   _ (HLAfloat64LE, double)            \
   _ (HLAinteger16BE, Integer16)       \
   _ (HLAinteger16LE, Integer16)       \
   _ (HLAinteger32BE, Integer32)       \
   _ (HLAinteger32LE, Integer32)       \
   _ (HLAinteger64BE, Integer64)       \
   _ (HLAinteger64LE, Integer64)       \
   _ (HLAoctet, Octet)                 \
   _ (HLAoctetPairBE, OctetPair)       \
   _ (HLAoctetPairLE, OctetPair)       \
   _ (HLAunicodeChar, wchar_t)         \
   _ (HLAunicodeString, std::wstring)

namespace rti1516e
{
   RTI_BASIC_DATA_ELEMENTS (DEFINE_ENCODING_HELPER_CLASS)
}

#undef DEFINE_ENCODING_HELPER_CLASS

#endif  // RTI_BasicDataElements_h_
