/** Sizes of what is published and installed, compared with the numbers in `size-budgets.json`. Pure. */

/** Numbers by name: files and bytes of a tarball, packages and bytes of an installation. */
export type Sizes = Readonly<Record<string, Readonly<Record<string, number>>>>

/** A size may grow by this much before its number has to be changed. */
const GROWTH = 1.03
/** Limits of `npm install toolwire`, whatever the numbers are. */
const INSTALL_LIMITS = { packages: 6, bytes: 20 * 1024 * 1024 }

/** Sentences; none when all sizes are within their numbers. */
export function sizeProblems(measured: Sizes, budgets: Sizes): readonly string[] {
  const grown = Object.entries(measured).flatMap(([name, sizes]) =>
    Object.entries(sizes).flatMap(([unit, size]) => {
      const budget = budgets[name]?.[unit]
      if (budget === undefined) return [`${name} has no number for ${unit}: it has ${size}`]
      return size > budget * GROWTH ? [`${name} has ${size} ${unit}, and its number is ${budget}`] : []
    }),
  )
  const unused = Object.keys(budgets)
    .filter(name => !(name in measured))
    .map(name => `${name} has a number and is not there`)
  const limits = Object.entries(INSTALL_LIMITS).flatMap(([unit, limit]) => {
    const size = measured['npm install toolwire']?.[unit] ?? 0
    return size > limit ? [`npm install toolwire brings ${size} ${unit}; at most ${limit} are allowed`] : []
  })
  return [...grown, ...unused, ...limits]
}
