/** The runtime that the suite runs the project's own client in. */
import type { Installable } from './installed.ts'

/** Install scripts are not run, so the program is taken from the package that holds it for this machine. */
const machine = `bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`

export const bun: Installable = {
  name: 'bun',
  package: 'bun',
  version: '1.4.4',
  program: `../@oven/${machine}/bin/bun`,
}
