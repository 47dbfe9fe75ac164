/* The device plug-in interface of Vernier, version 1. Plain C; this header is all a plug-in needs.
 *
 * A plug-in is a shared object with the function vernier_plugin_entry(). It describes its ports.
 * One thread at a time then calls these functions:
 *
 * - create: read the configuration; do not open the device (checking a document also calls this)
 * - start: open the device, begin at time t; may be called again
 * - output: compute the outputs from the state and the inputs they follow; change nothing else
 * - advance: let time pass with the inputs held
 * - destroy: close the device
 *
 * output and advance run in the simulation loop: they must not wait, and in a real-time run they
 * must neither allocate nor lock. If a device requires waiting, give it a thread in the plug-in. No
 * exception may leave a function. Times are nanoseconds of simulated time. Values are in the units
 * that the ports declare; the elements of all ports are contiguous, in the order of the ports.
 *
 * Functions that return int return VERNIER_OK, or VERNIER_HELD when a previous value was used again
 * (the run counts these), or anything else for a failure; error() then says why.
 */
#ifndef VERNIER_PLUGIN_H
#define VERNIER_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VERNIER_PLUGIN_VERSION 1u

#define VERNIER_OK 0
#define VERNIER_HELD 1
#define VERNIER_FAILED 2

/* flags: the device is bound to the wall clock; its time cannot be stopped or repeated */
#define VERNIER_FACES_WORLD 1u

typedef struct vernier_port {
  uint32_t size;       /* sizeof(vernier_port) */
  uint32_t count;      /* elements: 3 for a vector */
  const char* name;    /* as in the connector document */
  const char* unit;    /* "rad/s"; NULL or "1": none */
  const char* follows; /* outputs: the inputs that it follows at the same instant, separated by
                          blanks; NULL: none */
} vernier_port;

typedef struct vernier_plugin {
  uint32_t size;    /* sizeof(vernier_plugin) */
  uint32_t version; /* VERNIER_PLUGIN_VERSION */
  uint32_t flags;
  const char* name; /* for messages: "magnetorquer board" */

  /* An instance, or NULL and a sentence in `error`. The text is the parameter `config` of the
     connector document; it lasts during the call. */
  void* (*create)(const char* config, char* error, size_t error_size);
  void (*destroy)(void* self);

  /* Where the ports are, and how many; they last as long as the instance. */
  uint32_t (*inputs)(void* self, const vernier_port** ports);
  uint32_t (*outputs)(void* self, const vernier_port** ports);

  int (*start)(void* self, int64_t t);
  int (*output)(void* self, int64_t t, const double* in, double* out);
  int (*advance)(void* self, int64_t from, int64_t to, const double* in);

  /* The last failure in one sentence; may be NULL. */
  const char* (*error)(void* self);

  /* All three, or NULL for a device that cannot go back. The size never changes; save() then load()
     brings everything back exactly. */
  size_t (*state_size)(void* self);
  void (*save)(void* self, void* state);
  int (*load)(void* self, const void* state);
} vernier_plugin;

/* The only symbol looked up. `version` is the caller's; return NULL if you cannot serve it. */
const vernier_plugin* vernier_plugin_entry(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
