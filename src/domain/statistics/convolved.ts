/** Distribution of the sum of two independent whole numbers. */
export function convolved(x: Float64Array, y: Float64Array): Float64Array<ArrayBuffer> {
  const sum = new Float64Array(x.length + y.length - 1);
  for (let i = 0; i < x.length; i++) {
    const weight = x[i] ?? 0;
    if (weight === 0) continue;
    for (let j = 0; j < y.length; j++) sum[i + j] = (sum[i + j] ?? 0) + weight * (y[j] ?? 0);
  }
  return sum;
}
