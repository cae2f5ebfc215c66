/** A small PDF that is slow to read: a form that draws another form several times, and so on. */
import { deflateSync } from 'node:zlib'

export interface Bomb {
  /** How often each form draws the next one. */
  readonly width: number
  readonly depth: number
  /** Blanks in the last form, which is compressed. */
  readonly blanks?: number
}

export function bombPdf({ width, depth, blanks = 0 }: Bomb): Buffer {
  const objects: Buffer[] = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from(
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /XObject << /X 6 0 R >> /Font << /F 5 0 R >> >> >>',
    ),
    stream('', '/X Do'),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
  ]
  for (let level = 0; level < depth; level++) {
    const isLast = level === depth - 1
    const inside = isLast
      ? `BT /F 9 Tf (word) Tj ET${Buffer.alloc(blanks, ' ').toString('latin1')}`
      : '/X Do '.repeat(width)
    const next = isLast ? '' : `/XObject << /X ${level + 7} 0 R >>`
    const head = `/Type /XObject /Subtype /Form /BBox [0 0 99 99] /Resources << ${next} /Font << /F 5 0 R >> >>`
    objects.push(stream(head, inside))
  }
  return assemble(objects)
}

function stream(head: string, content: string): Buffer {
  const data = deflateSync(content)
  return Buffer.concat([
    Buffer.from(`<< ${head} /Filter /FlateDecode /Length ${data.length} >>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ])
}

function assemble(objects: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  for (const [index, object] of objects.entries()) {
    offsets.push(parts.reduce((sum, part) => sum + part.length, 0))
    parts.push(Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n'))
  }
  const start = parts.reduce((sum, part) => sum + part.length, 0)
  const rows = offsets.map(at => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}
