#define BOARD_VERSION 7
#include "board.h"
