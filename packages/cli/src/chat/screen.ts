/**
 * The terminal as two parts: finished lines, which scroll away, and a few live lines at the end, which are redrawn.
 * No alternate screen is used, so that everything stays in the scrollback.
 */
import { textWidth } from './width.ts'

export interface Output {
  readonly columns?: number
  readonly rows?: number
  readonly write: (text: string) => unknown
}

export class Screen {
  readonly #output: Output
  #live: readonly string[] = []
  /** Row of the cursor in the live part, from its first line. */
  #row = 0
  /** The live part as it was drawn last: an equal one is not drawn again. */
  #drawn = ''

  constructor(output: Output) {
    this.#output = output
  }

  get width(): number {
    return Math.max(20, this.#output.columns ?? 80)
  }

  get height(): number {
    return Math.max(8, this.#output.rows ?? 24)
  }

  /** Writes finished lines above the live part. */
  commit(lines: readonly string[]): void {
    if (lines.length === 0) return
    const live = this.#live
    this.#output.write(`${this.#clear()}${lines.join('\r\n')}\r\n`)
    this.#live = []
    this.#row = 0
    this.#drawn = ''
    this.draw(live)
  }

  /** Replaces the live part. `cursor` is the position of the caret; the end of the last line when absent. */
  draw(lines: readonly string[], cursor?: { readonly row: number; readonly column: number }): void {
    const shown = lines.slice(-(this.height - 1))
    const drawn = JSON.stringify([shown, cursor, this.width])
    if (drawn === this.#drawn) return
    this.#drawn = drawn
    const dropped = lines.length - shown.length
    const row = cursor ? cursor.row - dropped : shown.length - 1
    const column = cursor ? cursor.column : textWidth(shown.at(-1) ?? '')
    const up = shown.length - 1 - row
    const move =
      shown.length === 0 ? '' : `\r${up > 0 ? `\u001b[${up}A` : ''}${column > 0 ? `\u001b[${column}C` : ''}`
    this.#output.write(`\u001b[?25l${this.#clear()}${shown.join('\r\n')}${move}\u001b[?25h`)
    this.#live = shown
    this.#row = Math.max(0, row)
  }

  /** Removes the live part and leaves the cursor on an empty line. */
  end(): void {
    this.#drawn = ''
    this.#output.write(this.#clear())
    this.#live = []
    this.#row = 0
  }

  /** Codes that move to the start of the live part and clear it. A narrower terminal has wrapped its lines. */
  #clear(): string {
    const above = this.#live.slice(0, this.#row)
    const rows = above.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / this.width)), 0)
    return `\r${rows > 0 ? `\u001b[${rows}A` : ''}\u001b[J`
  }
}
