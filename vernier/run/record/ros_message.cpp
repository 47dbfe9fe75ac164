#include "vernier/run/record/ros_message.hpp"

#include <algorithm>

namespace vernier::record {

namespace {

/// A text that stays in the line of a comment.
std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  return text;
}

}  // namespace

std::string ros_topic(const SignalSpec& s, std::optional<std::uint32_t> element) {
  std::string topic = "/" + s.path;
  std::replace(topic.begin(), topic.end(), '.', '/');
  return element ? topic + "/" + std::to_string(*element) : topic;
}

std::string ros_schema(const SignalSpec& s, std::optional<std::uint32_t> element) {
  const char* type = s.scalar == Scalar::real      ? "float64"
                     : s.scalar == Scalar::integer ? "int64"
                                                   : "uint8";
  const std::string array = s.count > 1 && !element ? "[" + std::to_string(s.count) + "]" : "";
  const std::string index = element ? "[" + std::to_string(*element) + "]" : "";
  const std::string frame = s.frame.empty() ? "" : ", axes " + s.frame;
  const std::string what = s.description.empty() ? "" : ": " + s.description;
  return one_line("# " + s.path + index + what) + "\n" + type + array + " value  " +
         one_line("# " + s.unit + frame) + "\n";
}

std::string ros_type(std::size_t number) { return "vernier/msg/Signal" + std::to_string(number); }

}  // namespace vernier::record
