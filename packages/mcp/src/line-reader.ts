/** Lines of JSON from a stream of bytes, none longer or deeper than allowed. */
import { isShallow, MAX_NESTING } from './nesting.ts'

export interface LineReader {
  /** The lines that these bytes complete. Throws for one that may not be read; nothing can be read afterwards. */
  readonly add: (chunk: Buffer) => readonly string[]
}

const NEWLINE = 10

export function createLineReader(max_bytes: number): LineReader {
  let parts: Buffer[] = []
  let size = 0
  return {
    add(chunk) {
      const lines: string[] = []
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
        const line = Buffer.concat([...parts, chunk.subarray(from, at)])
        parts = []
        size = 0
        from = at + 1
        mustFit(line.length, max_bytes)
        if (!isShallow(line)) throw new Error(`A message of the server is nested deeper than ${MAX_NESTING}.`)
        const text = line.toString('utf8').trim()
        if (text !== '') lines.push(text)
      }
      const rest = chunk.subarray(from)
      size += rest.length
      mustFit(size, max_bytes)
      if (rest.length > 0) parts.push(rest)
      return lines
    },
  }
}

function mustFit(size: number, max_bytes: number): void {
  if (size > max_bytes) throw new Error(`A message of the server is larger than ${max_bytes} bytes.`)
}
