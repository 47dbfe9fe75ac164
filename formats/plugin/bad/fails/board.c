#define BOARD_ADVANCE from < 300000000 ? VERNIER_OK : VERNIER_FAILED
#include "board.h"
