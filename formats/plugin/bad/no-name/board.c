#define BOARD_PORT ""
#include "board.h"
