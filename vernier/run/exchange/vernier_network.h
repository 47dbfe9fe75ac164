/* The network plug-in interface of Vernier, version 1. Plain C; this header is all a plug-in needs.
 *
 * A network plug-in moves bytes between the nodes of a run, over a network that Vernier does not
 * know. It is a shared object with the function vernier_network_entry(), named in a nodes document:
 *
 *   <nodes> ... <network plugin="libmine.so" config="bus=2"/> </nodes>
 *
 * Between two nodes, bytes arrive in the order in which they were given, none is lost or doubled,
 * and one who has nothing to give does not disturb the others. Vernier makes frames of them.
 *
 * - open: once in each node, before the run: prepares to be reached by the others
 * - join: connects the node to all others, when the run begins and whenever the nodes change; what
 *   was joined before is left afterwards
 * - take, give, wait: in the simulation loop. They must not wait, except wait(), and in a real-time
 *   run they must neither allocate nor lock
 * - wake: ends a wait(). From any thread, and from a signal handler
 *
 * All but wake() are called by one thread at a time. No exception may leave a function. Times are
 * nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef VERNIER_NETWORK_H
#define VERNIER_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VERNIER_NETWORK_VERSION 1u

#define VERNIER_NETWORK_KEY 32         /* bytes */
#define VERNIER_NETWORK_NOBODY (~0u)   /* no node */
#define VERNIER_NETWORK_LOST (-1)      /* the peer is gone: nothing more comes, or can be given */
#define VERNIER_NETWORK_TAKE 1u        /* wait() for bytes of a peer */
#define VERNIER_NETWORK_GIVE 2u        /* wait() until a peer takes more */

typedef struct vernier_network_meeting {
  uint32_t size;  /* sizeof(vernier_network_meeting) */
  uint32_t epoch; /* the same for all who are to meet; later meetings have a larger one */
  uint32_t self, nodes;
  const char* const* addresses; /* of all nodes, as their open() said */
  const unsigned char* key;     /* that all nodes of the run know, and nobody else */
  int64_t until;                /* give up then */
  int wake;                     /* a descriptor: give up when it becomes readable */
} vernier_network_meeting;

typedef struct vernier_network {
  uint32_t size;    /* sizeof(vernier_network) */
  uint32_t version; /* VERNIER_NETWORK_VERSION */
  const char* name; /* for messages: "SpaceWire" */

  /* This node. `config`: that of the nodes document. `host`: the address of this computer as the
     others reach it, in numbers. Writes how the other nodes reach it into `address`. NULL and a
     sentence in `error` when it cannot be. */
  void* (*open)(const char* config, const char* host, char* address, size_t address_size,
                char* error, size_t error_size);
  void (*close)(void* node);

  /* Connects to all others, who call this as well. NULL if that does not succeed: then `missing` is
     the node that was not met, or VERNIER_NETWORK_NOBODY, and `error` says why. All texts and
     numbers last during the call. */
  void* (*join)(void* node, const vernier_network_meeting* with, uint32_t* missing, char* error,
                size_t error_size);
  void (*leave)(void* joined);

  /* How many bytes were moved, 0 if none can be at present, or VERNIER_NETWORK_LOST. What a peer
     gave before it left is taken first. */
  int64_t (*take)(void* joined, uint32_t peer, void* to, size_t size);
  int64_t (*give)(void* joined, uint32_t peer, const void* bytes, size_t size);

  /* Returns when one of the wanted things is possible, after wake(), or at `until`; earlier does no
     harm. `wanted`: for each node, what of VERNIER_NETWORK_TAKE and VERNIER_NETWORK_GIVE. */
  void (*wait)(void* joined, const uint8_t* wanted, int64_t until);
  void (*wake)(void* joined);
} vernier_network;

/* The only symbol looked up. `version` is the caller's; return NULL if you cannot serve it. */
const vernier_network* vernier_network_entry(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
