/** Compares two inputs as JSON: the order of fields and undefined fields do not matter. */
export const isSameInput = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b)

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, child: unknown) =>
    typeof child === 'object' && child !== null && !Array.isArray(child)
      ? Object.fromEntries(Object.entries(child).sort(([x], [y]) => (x < y ? -1 : 1)))
      : child,
  )
}
