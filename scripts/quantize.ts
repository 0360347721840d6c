/** Weights as signed bytes, and the scale of a byte. */
export function quantize(weights: Float32Array): { bytes: Int8Array; scale: number } {
  const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 1e-9) / 127;
  return { bytes: Int8Array.from(weights, weight => Math.round(weight / scale)), scale };
}
