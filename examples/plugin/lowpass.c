/* A device plug-in for Vernier: a first-order low pass, y' = (u - y) / tau, for each of `size`
 * lines.
 *
 * Configuration: "tau=0.5 size=3". Build: make. Interface: vernier_plugin.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vernier_plugin.h"

enum { MOST = 16 };

typedef struct {
  double tau;
  uint32_t size;
  double y[MOST];
  char error[128];
  vernier_port in;
  vernier_port outputs[2];
} lowpass;

static void* create(const char* config, char* error, size_t error_size) {
  lowpass* self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->tau = 1.0;
  self->size = 1;
  while (*config) {
    int used = 0;
    if (sscanf(config, " tau=%lf%n", &self->tau, &used) < 1 &&
        sscanf(config, " size=%u%n", &self->size, &used) < 1) {
      if (strspn(config, " \t\r\n") == strlen(config)) break;
      snprintf(error, error_size, "\"%.40s\" is not tau=SECONDS or size=COUNT", config);
      free(self);
      return NULL;
    }
    config += used;
  }
  if (!(self->tau > 0.0) || self->size < 1 || self->size > MOST) {
    snprintf(error, error_size, "tau must be positive and size from 1 to %d", MOST);
    free(self);
    return NULL;
  }
  self->in = (vernier_port){sizeof(vernier_port), self->size, "in", "V", NULL};
  self->outputs[0] = (vernier_port){sizeof(vernier_port), self->size, "filtered", "V", NULL};
  self->outputs[1] = (vernier_port){sizeof(vernier_port), self->size, "difference", "V", "in"};
  return self;
}

static void destroy(void* p) { free(p); }

static uint32_t inputs(void* p, const vernier_port** ports) {
  *ports = &((lowpass*)p)->in;
  return 1;
}

static uint32_t outputs(void* p, const vernier_port** ports) {
  *ports = ((lowpass*)p)->outputs;
  return 2;
}

static int start(void* p, int64_t t) {
  (void)t;
  memset(((lowpass*)p)->y, 0, sizeof((lowpass*)p)->y);
  return VERNIER_OK;
}

static int output(void* p, int64_t t, const double* in, double* out) {
  const lowpass* self = p;
  (void)t;
  for (uint32_t i = 0; i < self->size; ++i) {
    out[i] = self->y[i];
    out[self->size + i] = in[i] - self->y[i];
  }
  return VERNIER_OK;
}

static int advance(void* p, int64_t from, int64_t to, const double* in) {
  lowpass* self = p;
  /* exact for a constant input */
  const double keep = exp(-(double)(to - from) * 1e-9 / self->tau);
  for (uint32_t i = 0; i < self->size; ++i) {
    if (fabs(in[i]) > 1e6) {
      snprintf(self->error, sizeof self->error, "line %u has %g V, more than 1 MV", i + 1, in[i]);
      return VERNIER_FAILED;
    }
    self->y[i] = in[i] + (self->y[i] - in[i]) * keep;
  }
  return VERNIER_OK;
}

static const char* error(void* p) { return ((lowpass*)p)->error; }

static size_t state_size(void* p) { return sizeof((lowpass*)p)->y; }
static void save(void* p, void* state) { memcpy(state, ((lowpass*)p)->y, state_size(p)); }
static int load(void* p, const void* state) {
  memcpy(((lowpass*)p)->y, state, state_size(p));
  return VERNIER_OK;
}

static const vernier_plugin plugin = {
    .size = sizeof(vernier_plugin),
    .version = VERNIER_PLUGIN_VERSION,
    .name = "low pass",
    .create = create,
    .destroy = destroy,
    .inputs = inputs,
    .outputs = outputs,
    .start = start,
    .output = output,
    .advance = advance,
    .error = error,
    .state_size = state_size,
    .save = save,
    .load = load,
};

const vernier_plugin* vernier_plugin_entry(uint32_t version) {
  return version == VERNIER_PLUGIN_VERSION ? &plugin : NULL;
}
