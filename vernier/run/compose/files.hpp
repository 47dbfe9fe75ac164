#pragma once

#include <filesystem>
#include <string>
#include <string_view>

/// Documents that the desktop writes.
namespace vernier::compose {

/// The digest by which a later save() recognizes the content.
std::string digest_of(std::string_view content);

/// The file of a request, for writing. Throws ConfigurationError V8121 unless it is below `folder`,
/// also after symbolic links are followed, and none of its folders is hidden.
std::filesystem::path writable(const std::filesystem::path& folder, const std::string& file);

/// Replaces the content of a document at once: whoever reads it sees all of the old or all of the
/// new one; permissions stay. `digest`: of the content that was edited; empty: the file is new.
/// Returns the digest of the new content. Throws ConfigurationError: V8122 the file has another
/// content by now, or is there already; V7502 it cannot be written.
std::string save(const std::filesystem::path& file, std::string_view text,
                 const std::string& digest);

}  // namespace vernier::compose
