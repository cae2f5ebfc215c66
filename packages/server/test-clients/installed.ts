/** What the suite installs on demand, and where below the cache it lies. */
import { join } from 'node:path'

export interface Installable {
  readonly name: string
  readonly package: string
  readonly version: string
  /** The program, seen from the package's folder. */
  readonly program: string
  /** Further packages in the same folder, as npm wants them. */
  readonly others?: readonly string[]
}

/** Where its package is put, below the cache. */
export const folderOf = ({ name, version }: Installable): string => `${name}-${version}`

/** Where its program is, below the cache. */
export const programOf = (one: Installable): string =>
  join(folderOf(one), 'node_modules', one.package, one.program)
