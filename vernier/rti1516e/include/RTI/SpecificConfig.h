// IEEE 1516.1-2010 C++ API, written for Vernier: what depends on compiler and language version.
//
// The standard gives every function a dynamic exception specification. C++11 deprecated those and C++17
// removed them. Here the lists are therefore comments, and an override may have the standard's specification,
// another one or none. Smart pointers are std::auto_ptr up to C++14, as the standard says, and std::unique_ptr
// from C++17 on, where std::auto_ptr no longer exists.
#ifndef RTI_SpecificConfig_h
#define RTI_SpecificConfig_h

#include <stddef.h>

#include <memory>

#define RTI_EXPORT __attribute__((visibility("default")))
#define RTI_EXPORT_FEDTIME RTI_EXPORT

// macros that federates written for several RTIs use
#define RTI_NOEXCEPT noexcept
#define RTI_THROW(exceptions)

namespace rti1516e
{
#if __cplusplus < 201703L
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
   template <class T>
   using SmartPointer = std::auto_ptr<T>;
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
#else
   template <class T>
   using SmartPointer = std::unique_ptr<T>;
#endif
}

#define RTI_UNIQUE_PTR ::rti1516e::SmartPointer

#endif  // RTI_SpecificConfig_h
