#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "vernier/base/diagnostic.hpp"
#include "vernier/component/catalogue.hpp"
#include "vernier/component/parameters.hpp"
#include "vernier/document/document.hpp"
#include "vernier/gateway/channel/channel.hpp"

namespace vernier::connector {

/// An I/O connector document (formats/connector) as data.
struct Connector {
  std::string name;
  std::string description;
  std::string adapter;  // csv, lines, link, plugin, rsp-client, rsp-server, shared
  std::filesystem::path file;
  channel::Channels channels;
  std::vector<std::string> bodies;  // of rsp
  ParameterValues parameters;       // as written, with their places
  Place place;                      // of the name
};

/// Called before a connector blocks, with what it waits for ("waiting for \"plant\" at
/// 127.0.0.1:4711 (30 s)").
using Notice = std::function<void(const std::string&)>;

/// The grammar of the document.
document::Grammar grammar() noexcept;

/// Reads and checks a document; all problems go into `problems`. Nothing if it has errors.
std::optional<Connector> read_connector(const std::filesystem::path&, Diagnostics& problems);
/// The same for text in memory; `name` stands for the file in messages.
std::optional<Connector> parse_connector(std::string content, const std::filesystem::path& name,
                                         Diagnostics& problems);

/// A type whose parameters are those of the adapter, with the values of the document as defaults.
Type type_of(const Connector&, Notice = {});

/// Registers connector documents with the catalogue, so that compositions can refer to them.
void add_connectors(Catalogue&, Notice = {});

}  // namespace vernier::connector
