/** Lines of JSON from a stream of bytes, none longer, deeper or of more values than allowed. */
import { createShapeCheck } from './message-shape.ts'

export interface LineReader {
  /** The lines that these bytes complete. Throws for one that may not be read; nothing can be read afterwards. */
  readonly add: (chunk: Buffer) => readonly string[]
}

const NEWLINE = 10

export function createLineReader(max_bytes: number): LineReader {
  const shape = createShapeCheck()
  let parts: Buffer[] = []
  let size = 0

  function take(part: Buffer): void {
    size += part.length
    const problem = size > max_bytes ? `larger than ${max_bytes} bytes` : shape.add(part)
    if (problem !== undefined) throw new Error(`A message of the server is ${problem}.`)
    parts.push(part)
  }
  function takeLine(): string {
    const text = Buffer.concat(parts, size).toString('utf8').trim()
    parts = []
    size = 0
    shape.reset()
    return text
  }

  return {
    add(chunk) {
      const lines: string[] = []
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at))
        from = at + 1
        const line = takeLine()
        if (line !== '') lines.push(line)
      }
      take(chunk.subarray(from))
      return lines
    },
  }
}
