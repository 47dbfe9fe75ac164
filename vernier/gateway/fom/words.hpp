#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "vernier/gateway/fom/model.hpp"

/// The keywords of OMT documents, in the order of their enumerations.
namespace vernier::fom {

inline constexpr std::array<std::string_view, 4> sharing_words{"Neither", "Publish", "Subscribe",
                                                               "PublishSubscribe"};
inline constexpr std::array<std::string_view, 2> order_words{"Receive", "TimeStamp"};
inline constexpr std::array<std::string_view, 4> update_words{"NA", "Static", "Periodic",
                                                              "Conditional"};
inline constexpr std::array<std::string_view, 4> ownership_words{"NoTransfer", "Divest", "Acquire",
                                                                 "DivestAcquire"};
inline constexpr std::array<std::string_view, 4> capability_words{"NA", "Register", "Achieve",
                                                                  "RegisterAchieve"};
inline constexpr std::array<std::string_view, 2> reliable_words{"No", "Yes"};
inline constexpr std::array<std::string_view, 2> endian_words{"Big", "Little"};
inline constexpr std::array<std::string_view, 6> resign_words{
    "UnconditionallyDivestAttributes",    "DeleteObjects",
    "CancelPendingOwnershipAcquisitions", "DeleteObjectsThenDivest",
    "CancelThenDeleteThenDivest",         "NoAction"};

template <class Enum, std::size_t n>
std::string_view word(const std::array<std::string_view, n>& words, Enum e) noexcept {
  return words[static_cast<std::size_t>(e)];
}

}  // namespace vernier::fom
