/** Colors of the terminal. Every text is readable without them. */

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const

export type Style = Readonly<Record<keyof typeof CODES, (text: string) => string>>

/** `NO_COLOR` wins over `FORCE_COLOR`; otherwise a terminal has colors, unless it is dumb. */
export function hasColor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return true
  return isTerminal && env['TERM'] !== 'dumb'
}

export function createStyle(isColored: boolean): Style {
  const paint = (code: number) => (text: string) =>
    isColored && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text
  return {
    bold: paint(CODES.bold),
    dim: paint(CODES.dim),
    red: paint(CODES.red),
    green: paint(CODES.green),
    yellow: paint(CODES.yellow),
    blue: paint(CODES.blue),
    cyan: paint(CODES.cyan),
  }
}
