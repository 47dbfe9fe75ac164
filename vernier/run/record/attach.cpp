#include "vernier/run/record/recorder.hpp"

namespace vernier::record {

void Recorder::begin(executive::Executive& e, const std::filesystem::path& folder,
                     const std::vector<RecordGroup>& groups, const RecorderOptions& options) {
  const auto& attachments =
      begin(folder, groups, options,
            [&e](std::size_t part, const Entry& entry) { return e.tell(part, entry); });
  for (const Attachment& a : attachments) e.observe(*a.observer, a.sampling);
  leave_ = [&e, &attachments] {
    for (const Attachment& a : attachments) e.remove(*a.observer);
  };
}

}  // namespace vernier::record
