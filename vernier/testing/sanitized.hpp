#pragma once

/// Defined where the address or the thread sanitizer watches, for tests of what those change:
/// memory, system calls, locks in memory. gcc says that they are on by a macro, clang by a feature.
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
