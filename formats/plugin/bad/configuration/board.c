#define BOARD_CREATE (snprintf(error, size, "gain must be below 1"), NULL)
#include "board.h"
