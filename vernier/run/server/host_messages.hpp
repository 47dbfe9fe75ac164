#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/run/server/file_cache.hpp"

/// What a server and its clients say to each other, until the server starts an executor; see
/// formats/server. Every message is a frame of net/framing.hpp that begins with its word.
namespace vernier::server {

inline constexpr std::uint32_t host_protocol = 1;
inline constexpr std::uint16_t usual_port = 4870;

enum class HostWord : std::uint32_t {
  // to a server
  hello = 1,  // see greeting.hpp
  proof,
  info,     // nothing
  ping,     // std::uint64_t
  files,    // std::vector<FileId>
  piece,    // Piece
  execute,  // Execute
  attach,   // Attach; from now on the server asks, and takes nothing but `said`
  runs,     // nothing
  control,  // ControlLine
  said,     // NumberedLine: the answer to `asked`
  // from a server
  welcome = 64,  // see greeting.hpp
  accepted,
  about,      // About
  pong,       // Pong
  missing,    // std::vector<std::uint32_t>: which files; their pieces follow in this order
  places,     // std::vector<std::string>: where each file is; after the last piece
  executing,  // nothing; from now on the connection is that of the executor
  refused,    // Refusal; the connection ends
  attached,   // std::string: the name by which clients of the server find the run
  hosted,     // std::vector<HostedRun>
  asked,      // NumberedLine: of a client, to the composer of a run; one at a time
  answered    // std::string: the answer to `control`
};

/// Bytes of a frame: before a client has proved who it is, and then.
inline constexpr std::size_t frame_head = 8, longest_greeting = 512, longest_request = 4u << 20,
                             piece_size = 256u << 10;
inline constexpr std::size_t most_files = 10'000, longest_name = 4096;
/// Bytes of a request to a run, of its answer, and of its name; and questions that may wait for one
/// run.
inline constexpr std::size_t longest_line = 4096, longest_answer = 1u << 20, longest_run_name = 100,
                             most_questions = 64;

/// A server and its computer.
struct About {
  static constexpr bool visited = true;
  std::string version, host, kernel;
  std::string instructions, arithmetic;
  std::uint32_t processors = 0;
  double load = 0.0;         // runnable tasks, in the last minute
  std::uint64_t memory = 0;  // bytes
  bool fit = false;          // for real time
  std::string fitness;       // the same in words
  std::uint32_t runs = 0, most_runs = 0;
  bool draining = false;
  std::vector<std::string> types;  // that it has

  template <class Visitor>
  void fields(Visitor& v) {
    v(version, host, kernel, instructions, arithmetic, processors, load, memory, fit, fitness, runs,
      most_runs, draining, types);
  }
};

/// The clocks of a server, ns: one that never jumps, and the time of day.
struct Pong {
  static constexpr bool visited = true;
  std::uint64_t token = 0;
  std::int64_t steady = 0, wall = 0;

  template <class Visitor>
  void fields(Visitor& v) {
    v(token, steady, wall);
  }
};

/// The next bytes of a missing file.
struct Piece {
  static constexpr bool visited = true;
  std::uint32_t file = 0;
  Bytes content;

  template <class Visitor>
  void fields(Visitor& v) {
    v(file, content);
  }
};

/// `memory`: bytes; `processors`: how many; 0: as many as the server lets it have, otherwise at
/// most so many. `composer`: as in Attach; 0: it does not attach.
struct Execute {
  static constexpr bool visited = true;
  std::string run, node;
  std::uint64_t memory = 0;
  std::uint32_t processors = 0;
  std::uint64_t composer = 0;

  template <class Visitor>
  void fields(Visitor& v) {
    v(run, node, memory, processors, composer);
  }
};

/// A composer that answers questions about its run. `composer`: a number that no other has; it
/// takes the place of an earlier connection with the same number.
struct Attach {
  static constexpr bool visited = true;
  std::string run, host;
  std::int64_t since = 0;  // s of the time of day
  std::uint64_t composer = 0;

  template <class Visitor>
  void fields(Visitor& v) {
    v(run, host, since, composer);
  }
};

/// A run that clients of a server can ask.
struct HostedRun {
  static constexpr bool visited = true;
  std::string name, host;       // the computer of its composer
  std::int64_t since = 0;       // s of the time of day
  std::uint32_t executors = 0;  // at this server

  template <class Visitor>
  void fields(Visitor& v) {
    v(name, host, since, executors);
  }
};

/// A request (docs/reference/live-access.md) to a run.
struct ControlLine {
  static constexpr bool visited = true;
  std::string run, line;

  template <class Visitor>
  void fields(Visitor& v) {
    v(run, line);
  }
};

struct NumberedLine {
  static constexpr bool visited = true;
  std::uint32_t number = 0;
  std::string line;

  template <class Visitor>
  void fields(Visitor& v) {
    v(number, line);
  }
};

/// Why a server does not do what was asked. The message does not name the server.
struct Refusal {
  static constexpr bool visited = true;
  std::string code, message;
  std::vector<std::string> notes;

  template <class Visitor>
  void fields(Visitor& v) {
    v(code, message, notes);
  }
};

/// Appends a frame.
template <class T>
void put_frame(std::vector<std::byte>& to, HostWord word, const T& message) {
  const std::size_t begin = to.size();
  ByteWriter w(to);
  w(std::uint32_t{0}, word, message);
  store(to.data() + begin, static_cast<std::uint32_t>(to.size() - begin));
}
inline void put_frame(std::vector<std::byte>& to, HostWord word) {
  put_frame(to, word, Reserved<0>());
}
inline HostWord word_of(Bytes frame) noexcept {
  return load<HostWord>(frame.data() + sizeof(std::uint32_t));
}
/// Nothing: it is malformed. Views in the message point into the frame.
template <class T>
std::optional<T> content_of(Bytes frame) {
  ByteReader r(frame.subspan(frame_head));
  T message{};
  r(message);
  if (!r.complete()) return {};
  return message;
}

/// External text for people: printable, and not too long.
std::string printable(std::string_view, std::size_t longest = 200);

}  // namespace vernier::server
