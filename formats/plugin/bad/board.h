/* A board that works, but for what a case defines before it includes this. */
#include <stdio.h>

#include "vernier_plugin.h"

#ifndef BOARD_PORT
#define BOARD_PORT "current"
#endif
#ifndef BOARD_UNIT
#define BOARD_UNIT "A"
#endif
#ifndef BOARD_VERSION
#define BOARD_VERSION VERNIER_PLUGIN_VERSION
#endif
#ifndef BOARD_CREATE
#define BOARD_CREATE &instance
#endif
#ifndef BOARD_ADVANCE
#define BOARD_ADVANCE VERNIER_OK
#endif

static char instance;
static const vernier_port current = {sizeof(vernier_port), 1, BOARD_PORT, BOARD_UNIT, NULL};

static void* create(const char* config, char* error, size_t size) { return BOARD_CREATE; }
static void destroy(void* self) {}
static uint32_t inputs(void* self, const vernier_port** ports) { return 0; }
static uint32_t outputs(void* self, const vernier_port** ports) {
  *ports = &current;
  return 1;
}
static int start(void* self, int64_t t) { return VERNIER_OK; }
static int output(void* self, int64_t t, const double* in, double* out) {
  out[0] = 1.0;
  return VERNIER_OK;
}
static int advance(void* self, int64_t from, int64_t to, const double* in) { return BOARD_ADVANCE; }
static const char* error(void* self) { return "no answer on the bus"; }

static const vernier_plugin table = {sizeof(vernier_plugin), BOARD_VERSION, 0, "board", create, destroy, inputs,
                                     outputs, start, output, advance, error, NULL, NULL, NULL};

const vernier_plugin* vernier_plugin_entry(uint32_t version) { return &table; }
