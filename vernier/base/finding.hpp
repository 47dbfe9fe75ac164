#pragma once

#include <string>

namespace vernier {

enum class Severity { error, warning };

/// A problem of a model in memory, which knows no places: the reader of the document adds them.
struct Finding {
  Severity severity = Severity::error;
  std::string code;
  std::string message;    // names the part
  std::string part = {};  // the name of what it is about; empty: `body` says it
  int body = -1;          // index of the body it is about; -1: the whole model
  int node = -1;          // of that body; -1: not about one
};

}  // namespace vernier
