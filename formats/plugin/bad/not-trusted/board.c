#define BOARD_UNIT "mA"
#include "board.h"
