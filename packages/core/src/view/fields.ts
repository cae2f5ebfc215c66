/** Optional fields: present with a value, or absent. */

type Optional<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** `base` with those of `extra` that have a value. Absent and undefined are one thing in a view. */
export function addTo<T extends object>(base: T, extra: Optional<T>): T {
  const out = { ...base }
  for (const key of Object.keys(extra) as (keyof T)[]) {
    const value = extra[key]
    if (value !== undefined) out[key] = value
  }
  return out
}

/** A time of the log in milliseconds; undefined stays undefined. */
export const toMs = (ts: string | undefined): number | undefined =>
  ts === undefined ? undefined : Date.parse(ts)
