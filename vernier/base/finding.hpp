#pragma once

#include <string>

namespace vernier {

enum class Severity { error, warning };

/// A problem in a model in memory, without places: the reader of the document adds them.
struct Finding {
  Severity severity = Severity::error;
  std::string code;
  std::string message;    // names the part
  std::string part = {};  // the name of the part; empty: `body` identifies it
  int body = -1;          // index of the body; -1: the whole model
  int node = -1;          // of that body; -1: none
};

}  // namespace vernier
