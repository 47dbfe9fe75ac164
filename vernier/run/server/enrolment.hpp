#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/registry/registry.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::server {

/// Has a registry know a run on the nodes of `--on`: leads it from the beginning to the end, keeps
/// its record, and ends it when the term is lost. The registry is that of the options; without one,
/// it is a file in the run's folder, and none if nothing is kept.
///
/// What it makes throws ConfigurationError: V5651 the registry does not answer, V5652 somebody else
/// leads the run, V5654 the answer is not that of a registry.
session::Options::MakeCompanion enrolled(std::string on);

/// The registry that knows a run with these options in this folder. To wait until a run has no
/// leader any more: registry_of(…)->wait_until_free(options.registry_run, …).
std::unique_ptr<registry::Registry> registry_of(const session::Options&,
                                                const std::filesystem::path& folder);

/// What to say when a registry refuses something about a run (or about none: empty).
Diagnostic words_of(const registry::Trouble&, const std::string& registry, const std::string& run);

}  // namespace vernier::server
