#include <cmath>

#include "satellite_model.hpp"

namespace satellite {

void native(const double* in, double* out) {
  const double q1 = in[0], q2 = in[1], q3 = in[2], q4 = in[3];
  const double wx = in[4], wy = in[5], wz = in[6];
  const double fx = in[7], fy = in[8], fz = in[9];
  const double Bix = in[10], Biy = in[11], Biz = in[12];
  constexpr double Jxx = 1.7e-3, Jyy = 1.9e-3, Jzz = 2.1e-3;
  constexpr double Jxy = 2e-5, Jxz = -1.5e-5, Jyz = 3e-5;
  constexpr double Ixx = 588.4, Iyy = 526.6, Izz = 476.5;
  constexpr double Ixy = -6.2, Ixz = 4.3, Iyz = -7.6;
  constexpr double kb = 80, wc = 12.6, z0 = 2.69e-4, kc = 0.011, tog = 1e4;

  const double bx = (q1 * q1 - q2 * q2 - q3 * q3 + q4 * q4) * Bix + 2 * (q1 * q2 + q3 * q4) * Biy +
                    2 * (q1 * q3 - q2 * q4) * Biz;
  const double by = 2 * (q1 * q2 - q3 * q4) * Bix + (-q1 * q1 + q2 * q2 - q3 * q3 + q4 * q4) * Biy +
                    2 * (q2 * q3 + q1 * q4) * Biz;
  const double bz = 2 * (q1 * q3 + q2 * q4) * Bix + 2 * (q2 * q3 - q1 * q4) * Biy +
                    (-q1 * q1 - q2 * q2 + q3 * q3 + q4 * q4) * Biz;
  const auto limited = [](double v) { return v > 5.0 ? 5.0 : (v < -5.0 ? -5.0 : v); };
  const double Vx = limited(-kb * (wc * tog * bx + (z0 - wc * wc) * fx));
  const double Vy = limited(-kb * (wc * tog * by + (z0 - wc * wc) * fy));
  const double Vz = limited(-kb * (wc * tog * bz + (z0 - wc * wc) * fz));
  const double mx = kc * Vx, my = kc * Vy, mz = kc * Vz;
  const double hx = Jxx * wx + Jxy * wy + Jxz * wz;
  const double hy = Jxy * wx + Jyy * wy + Jyz * wz;
  const double hz = Jxz * wx + Jyz * wy + Jzz * wz;
  const double tx = my * bz - mz * by - (wy * hz - wz * hy);
  const double ty = mz * bx - mx * bz - (wz * hx - wx * hz);
  const double tz = mx * by - my * bx - (wx * hy - wy * hx);

  out[0] = 0.5 * (wz * q2 - wy * q3 + wx * q4);
  out[1] = 0.5 * (-wz * q1 + wx * q3 + wy * q4);
  out[2] = 0.5 * (wy * q1 - wx * q2 + wz * q4);
  out[3] = 0.5 * (-wx * q1 - wy * q2 - wz * q3);
  out[4] = Ixx * tx + Ixy * ty + Ixz * tz;
  out[5] = Ixy * tx + Iyy * ty + Iyz * tz;
  out[6] = Ixz * tx + Iyz * ty + Izz * tz;
  out[7] = tog * bx - wc * fx;
  out[8] = tog * by - wc * fy;
  out[9] = tog * bz - wc * fz;
  out[10] = Vx;
  out[11] = Vy;
  out[12] = Vz;
  out[13] = std::sqrt(wx * wx + wy * wy + wz * wz) - 0.017;
}

}  // namespace satellite
