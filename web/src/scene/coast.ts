// Coastlines of the Earth as pairs of points on the unit sphere; none yet.
export const coast: Float32Array | undefined = undefined;
