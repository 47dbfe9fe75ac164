# the beam before them, and their masses
body: curr, curr, m*dL, null, diag, 1.e-4, 1.e-4, 1.e-4;
body: curr + 1, curr + 1, m*dL, null, diag, 1.e-4, 1.e-4, 1.e-4;
beam3: curr,
    curr - 1, null,
    curr, null,
    curr + 1, null,
    eye,
    linear viscoelastic generic,
    diag, 1.e5, 1.e5, 1.e5, EJ, EJ, EJ,
    proportional, 0.05,
    same,
    same;
