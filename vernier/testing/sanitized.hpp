#pragma once

/// Defined under the address or thread sanitizer, for tests of what those change: memory, system
/// calls, memory locking. gcc indicates them by a macro, clang by a feature.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define VERNIER_TESTS_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VERNIER_TESTS_SANITIZED
#endif

namespace vernier::testing {

#if defined(VERNIER_TESTS_SANITIZED)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

}  // namespace vernier::testing
