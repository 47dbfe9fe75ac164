#include "vernier/run/scene/scene_of.hpp"

#include <gtest/gtest.h>
