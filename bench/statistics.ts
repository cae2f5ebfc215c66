/** Statistics of repeated samples. */

/** The value below which `share` (0 to 1) of the samples lie. NaN without samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5)

/** `median (least–most)`, or the one value. */
export function spread(samples: readonly number[], digits = 1): string {
  if (samples.length === 0) return '–'
  const told = median(samples).toFixed(digits)
  if (samples.length === 1) return told
  return `${told} (${Math.min(...samples).toFixed(digits)}–${Math.max(...samples).toFixed(digits)})`
}

/** Multiple of the base, by their medians. */
export function ratio(samples: readonly number[], base: readonly number[]): string {
  const times = median(samples) / median(base)
  return Number.isFinite(times) ? `${times.toFixed(times < 10 ? 1 : 0)}×` : '–'
}
