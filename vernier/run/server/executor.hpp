#pragma once

#include <memory>
#include <string>

#include "vernier/base/native_code.hpp"
#include "vernier/component/catalogue.hpp"
#include "vernier/net/stream.hpp"

namespace vernier::server {

/// The descriptor at which a process that is started as an executor finds its composer.
inline constexpr int composer_descriptor = 3;

/// For connections to other nodes; null: in the clear.
struct MeshTls {
  std::shared_ptr<net::Tls> client = {}, server = {};
};

/// Runs the parts of one node of a run as a composer says. `code`: with which a network plug-in is
/// loaded; null: none is. Returns when the composer ends it or is gone; 0: it was ended.
int execute(net::Stream composer, const Catalogue&, const std::string& version, const MeshTls& = {},
            std::shared_ptr<NativeCode> code = {});

}  // namespace vernier::server
