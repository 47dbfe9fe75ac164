// IEEE 1516.1-2010 C++ API, written for Vernier: handles. A handle is a number, held by value.
#ifndef RTI_Handle_h
#define RTI_Handle_h

#include <RTI/SpecificConfig.h>
#include <RTI/Exception.h>
#include <RTI/VariableLengthData.h>

#include <iosfwd>
#include <string>

namespace rti1516e
{
   struct HandleAccess;  // gives the RTI access to the number

#define DEFINE_HANDLE_CLASS(HandleKind)                                                            \
   class RTI_EXPORT HandleKind                                                                     \
   {                                                                                               \
   public:                                                                                         \
      /* Constructs an invalid handle; all invalid handles are equal */                            \
      HandleKind () noexcept : _number (0) {}                                                      \
                                                                                                   \
      bool isValid () const { return _number != 0; }                                               \
                                                                                                   \
      bool operator== (HandleKind const & rhs) const { return _number == rhs._number; }            \
      bool operator!= (HandleKind const & rhs) const { return _number != rhs._number; }            \
      bool operator< (HandleKind const & rhs) const { return _number < rhs._number; }              \
                                                                                                   \
      /* Equal handles have equal hashes */                                                        \
      long hash () const { return static_cast<long> (_number * 0x9E3779B97F4A7C15ull >> 1); }      \
                                                                                                   \
      /* The encoded value, to send to other federates: an HLAhandle, which is a count and bytes.  \
         RTIambassador decodes it. */                                                              \
      VariableLengthData encode () const;                                                          \
      void encode (VariableLengthData & buffer) const;                                             \
                                                                                                   \
      /* Fills a buffer, returns the length. Throws CouldNotEncode if it is too small */           \
      size_t encode (void * buffer, size_t bufferSize) const;                                      \
      size_t encodedLength () const;                                                               \
                                                                                                   \
      std::wstring toString () const;                                                              \
                                                                                                   \
   private:                                                                                        \
      friend struct HandleAccess;                                                                  \
      explicit HandleKind (unsigned long long number) noexcept : _number (number) {}               \
                                                                                                   \
      unsigned long long _number;                                                                  \
   };                                                                                              \
                                                                                                   \
   RTI_EXPORT std::wostream & operator<< (std::wostream &, HandleKind const &);

   DEFINE_HANDLE_CLASS (FederateHandle)
   DEFINE_HANDLE_CLASS (ObjectClassHandle)
   DEFINE_HANDLE_CLASS (InteractionClassHandle)
   DEFINE_HANDLE_CLASS (ObjectInstanceHandle)
   DEFINE_HANDLE_CLASS (AttributeHandle)
   DEFINE_HANDLE_CLASS (ParameterHandle)
   DEFINE_HANDLE_CLASS (DimensionHandle)
   DEFINE_HANDLE_CLASS (MessageRetractionHandle)
   DEFINE_HANDLE_CLASS (RegionHandle)

#undef DEFINE_HANDLE_CLASS
}

#endif  // RTI_Handle_h
