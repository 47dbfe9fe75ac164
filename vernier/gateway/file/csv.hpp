#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/time.hpp"

/// Tables as text: one record per line, a header with the column names. Quoted fields as in RFC
/// 4180, but without line breaks inside them. Input is untrusted; decoding never allocates.
namespace vernier::file {

inline constexpr std::size_t longest_csv_line = std::size_t{1} << 20;
inline constexpr std::size_t most_columns = 65'536;

/// Removes fields from the front of a record.
class Fields {
 public:
  Fields(std::string_view record, char separator) noexcept;

  /// The next field without surrounding blanks and quotes; false after the last.
  bool next(std::string_view& field) noexcept;

 private:
  std::string_view rest_;
  char separator_;
  bool more_;
};

/// A column: "omega[0]", "omega[0] (rad/s)", "t [s]". The unit is empty when not given.
struct Column {
  std::string name;
  std::string unit;
};
/// Nothing when there are too many.
std::optional<std::vector<Column>> parsed_header(std::string_view record, char separator);

enum class RowFlaw : std::uint8_t {
  none,
  fields,     // too few or too many
  empty,      // a field that is needed is empty
  number,     // not a number
  not_finite  // infinite, NaN, or out of range
};

struct RowReading {
  RowFlaw flaw = RowFlaw::none;
  std::size_t column = 0;      // where the flaw is, from 0; for `fields`: how many there are
  std::string_view text = {};  // its content
};

/// Reads the numbers of a record: field i is stored in values[slots[i]], unless that is -1.
RowReading read_row(std::string_view record, char separator, std::span<const std::int32_t> slots,
                    std::span<double> values) noexcept;

/// Seconds as a time, to the nearest nanosecond; nothing beyond ±292 years.
std::optional<Time> to_time(double seconds) noexcept;

/// A number with 17 significant digits, or a time as an exact decimal; returns the number of bytes.
/// `out` must have room for 32.
std::size_t write_real(char* out, double) noexcept;
std::size_t write_time(char* out, Time) noexcept;

/// A name as a field, quoted if necessary.
std::string as_field(std::string_view name, char separator);

/// A file read line by line, in bounded memory, starting anywhere.
class LineFile {
 public:
  LineFile() = default;
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  /// Why opening failed; nothing when the file is open. Accepts only regular files.
  std::optional<std::string> open(const std::filesystem::path&);

  enum class Step : std::uint8_t { line, end, too_long, failed };
  /// The next line without its line end, with its number (from 1) and offset; valid until the next
  /// call.
  Step next(std::string_view& line) noexcept;
  std::uint64_t line_number() const noexcept { return number_; }
  std::uint64_t line_offset() const noexcept { return line_offset_; }

  /// Continues with the line at `offset`, which has this number.
  void seek(std::uint64_t offset, std::uint64_t number) noexcept;

 private:
  int fd_ = -1;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t offset_ = 0;  // in the file, of buffer_[end_]
  std::uint64_t number_ = 0, line_offset_ = 0;
  bool at_end_ = false;
};

}  // namespace vernier::file
