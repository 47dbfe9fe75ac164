#pragma once

#include <string>
#include <utility>
#include <vector>

/// The measured right-hand side: quaternion kinematics (4), rigid body with a full inertia tensor
/// (3) and B-dot filter (3), with three inputs (the inertial field); it computes ten derivatives,
/// three coil voltages and a guard. Written as in a document.
namespace satellite {

constexpr int inputs = 13, outputs = 14;

using Named = std::pair<std::string, std::string>;

inline const std::vector<std::pair<std::string, double>> constants = {
    {"Jxx", 1.7e-3}, {"Jyy", 1.9e-3}, {"Jzz", 2.1e-3}, {"Jxy", 2e-5},  {"Jxz", -1.5e-5},
    {"Jyz", 3e-5},   {"Ixx", 588.4},  {"Iyy", 526.6},  {"Izz", 476.5}, {"Ixy", -6.2},
    {"Ixz", 4.3},    {"Iyz", -7.6},   {"kb", 80},      {"wc", 12.6},   {"z0", 2.69e-4},
    {"Vmax", 5},     {"kc", 0.011},   {"tog", 1e4}};

inline const std::vector<std::string> input_names = {"q1", "q2", "q3", "q4",  "wx",  "wy", "wz",
                                                     "fx", "fy", "fz", "Bix", "Biy", "Biz"};

inline const std::vector<Named> locals = {
    {"bx", "(q1^2-q2^2-q3^2+q4^2)*Bix+2*(q1*q2+q3*q4)*Biy+2*(q1*q3-q2*q4)*Biz"},
    {"by", "2*(q1*q2-q3*q4)*Bix+(-q1^2+q2^2-q3^2+q4^2)*Biy+2*(q2*q3+q1*q4)*Biz"},
    {"bz", "2*(q1*q3+q2*q4)*Bix+2*(q2*q3-q1*q4)*Biy+(-q1^2-q2^2+q3^2+q4^2)*Biz"},
    {"Vx", "max(-Vmax,min(Vmax,-kb*(wc*tog*bx+(z0-wc*wc)*fx)))"},
    {"Vy", "max(-Vmax,min(Vmax,-kb*(wc*tog*by+(z0-wc*wc)*fy)))"},
    {"Vz", "max(-Vmax,min(Vmax,-kb*(wc*tog*bz+(z0-wc*wc)*fz)))"},
    {"mx", "kc*Vx"},
    {"my", "kc*Vy"},
    {"mz", "kc*Vz"},
    {"hx", "Jxx*wx+Jxy*wy+Jxz*wz"},
    {"hy", "Jxy*wx+Jyy*wy+Jyz*wz"},
    {"hz", "Jxz*wx+Jyz*wy+Jzz*wz"},
    {"tx", "my*bz-mz*by-(wy*hz-wz*hy)"},
    {"ty", "mz*bx-mx*bz-(wz*hx-wx*hz)"},
    {"tz", "mx*by-my*bx-(wx*hy-wy*hx)"}};

inline const std::vector<Named> results = {{"dq1", "0.5*(wz*q2-wy*q3+wx*q4)"},
                                           {"dq2", "0.5*(-wz*q1+wx*q3+wy*q4)"},
                                           {"dq3", "0.5*(wy*q1-wx*q2+wz*q4)"},
                                           {"dq4", "0.5*(-wx*q1-wy*q2-wz*q3)"},
                                           {"dwx", "Ixx*tx+Ixy*ty+Ixz*tz"},
                                           {"dwy", "Ixy*tx+Iyy*ty+Iyz*tz"},
                                           {"dwz", "Ixz*tx+Iyz*ty+Izz*tz"},
                                           {"dfx", "tog*bx-wc*fx"},
                                           {"dfy", "tog*by-wc*fy"},
                                           {"dfz", "tog*bz-wc*fz"},
                                           {"yVx", "Vx+0"},
                                           {"yVy", "Vy+0"},
                                           {"yVz", "Vz+0"},
                                           {"g0", "sqrt(wx^2+wy^2+wz^2)-0.017"}};

/// The same in C++, compiled separately with -O3.
void native(const double* in, double* out);

}  // namespace satellite
