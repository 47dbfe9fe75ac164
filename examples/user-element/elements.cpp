// The list of the elements in this shared object. Users see the names, units and descriptions.
#include "magnetic_bearing.hpp"
#include "quadratic_drag.hpp"

namespace {

using namespace vernier::constrained;

const UserParameter bearing[] = {
    {"constant", "N m^2/A^2", "force of a magnet: constant (current / gap)²"},
    {"gap", "m", "of a centred rotor"},
    {"bias", "A", "current of all magnets"},
    {"resistance", "Ohm", "of a coil"},
    {"inductance", "H", "of a coil"},
    {"proportional", "V/m", "gain of the controller", 0.0},
    {"derivative", "V s/m", "gain of the controller", 0.0}};
const UserParameter drag[] = {{"coefficient", "N s^2/m^2", "force = coefficient speed²"}};

template <class T>
std::unique_ptr<const Element> made(const UserArguments& given) {
  return std::make_unique<T>(given);
}

const UserElementKind kinds[] = {
    {"magnetic_bearing", "radial magnetic bearing with its currents, stator and rotor", 2, 0, 0,
     bearing, made<MagneticBearing>},
    {"quadratic_drag", "drag with the square of the speed", 1, 0, 0, drag, made<QuadraticDrag>}};

}  // namespace

VERNIER_ELEMENTS(kinds)
