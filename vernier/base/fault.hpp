#pragma once

#include <cstdint>

namespace vernier {

/// The kind of failure. Exit statuses follow from this, never from the code or text of a message.
enum class Category : std::uint8_t {
  input,     // the user's input cannot be used
  numerics,  // the equations or their solution cannot continue
  lateness,  // the run did not keep time, under a policy that stops it
  peer,      // another process, a device or a federate is gone or violates its protocol
  machine    // the system refuses something: the disk is full
};

/// Why something in the loop failed; filled in place, so that failing does not allocate. The first
/// line of the text is the message, the others say what to do. A text that begins with a blank
/// continues a name: that of `subject`, inside the component, or of the component itself when that
/// is empty.
struct Fault {
  char code[8] = "";  // "V3107"; empty: nothing failed
  char subject[64] = "";
  char text[504] = "";
  Category category = Category::numerics;

  /// Sets everything, and clears the subject. `format` as for printf.
  __attribute__((format(printf, 4, 5))) void set(Category, const char* code, const char* format,
                                                 ...) noexcept;
};

}  // namespace vernier
