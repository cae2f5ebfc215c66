/** Reads `multipart/form-data` (RFC 7578) as it comes: one part after the other, none of them in memory as a whole. */
import { AppError, nameInDisposition } from '@toolwire/core'

export interface FormPart {
  readonly name: string
  /** As the sender gave it; undefined for a field. */
  readonly filename: string | undefined
  /** To be read to its end before the next part is asked for. */
  readonly body: AsyncIterable<Uint8Array>
}

const MAX_HEADERS = 8 * 1024
const MAX_PARTS = 20
const CRLF = '\r\n'

const malformed = (why: string): AppError => new AppError('bad_request', `The form is malformed: ${why}.`)

/** The boundary in a content type. Throws `bad_request`. */
export function boundaryIn(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^;\s"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw malformed('its content type has no boundary')
  return boundary
}

/** Throws `bad_request` for what is no form, and what the source throws. */
export async function* readForm(
  chunks: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<FormPart> {
  const source = new FormSource(chunks, Buffer.from(`${CRLF}--${boundary}`))
  try {
    await source.skipPreamble()
    for (let count = 0; await source.hasPart(); count++) {
      if (count === MAX_PARTS) throw malformed(`it has more than ${MAX_PARTS} parts`)
      const { name, filename } = parseHeaders(await source.readHeaders())
      const body = source.readPart()
      yield { name, filename, body }
      // Skips the rest of a part that was not read.
      for await (const _ of body);
    }
    await source.skipRest()
  } finally {
    await source.close()
  }
}

function parseHeaders(text: string): Pick<FormPart, 'name' | 'filename'> {
  const lines = text.split(CRLF)
  const disposition = lines.find(line => /^content-disposition\s*:/i.test(line)) ?? ''
  if (!/^content-disposition\s*:\s*form-data\s*;/i.test(disposition))
    throw malformed('a part has no Content-Disposition of form-data')
  if (lines.some(line => /^content-transfer-encoding\s*:\s*(?!\s|(?:7bit|8bit|binary)\s*$)/i.test(line)))
    throw malformed('a part is encoded')
  const name = /;\s*name\s*=\s*(?:"((?:[^"\\]|\\.){0,200})"|([^";\s]{1,200}))/i.exec(disposition)
  if (!name) throw malformed('a part has no name')
  return { name: name[1] ?? name[2] ?? '', filename: nameInDisposition(disposition) }
}

/** The bytes that came and are not used yet: never more than a chunk and a delimiter. */
class FormSource {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #delimiter: Buffer
  /** Begins with a line end, as every delimiter but the first one has it in front. */
  #held: Buffer = Buffer.from(CRLF)

  constructor(chunks: AsyncIterable<Uint8Array>, delimiter: Buffer) {
    this.#chunks = chunks[Symbol.asyncIterator]()
    this.#delimiter = delimiter
  }

  async skipPreamble(): Promise<void> {
    for await (const _ of this.readPart());
  }

  /** After a delimiter: false at the end of the form. */
  async hasPart(): Promise<boolean> {
    while (this.#held.length < 2) await this.#more()
    const mark = this.#held.toString('latin1', 0, 2)
    this.#held = this.#held.subarray(2)
    if (mark !== CRLF && mark !== '--') throw malformed('a boundary does not end its line')
    return mark === CRLF
  }

  async readHeaders(): Promise<string> {
    for (;;) {
      const end = this.#held.indexOf(CRLF + CRLF)
      if (end !== -1) {
        const text = this.#held.toString('utf8', 0, end)
        this.#held = this.#held.subarray(end + 4)
        return text
      }
      if (this.#held.length > MAX_HEADERS) throw malformed('the headers of a part are too long')
      await this.#more()
    }
  }

  /** Up to and including the next delimiter. */
  async *readPart(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const end = this.#held.indexOf(this.#delimiter)
      if (end !== -1) {
        const last = this.#held.subarray(0, end)
        this.#held = this.#held.subarray(end + this.#delimiter.length)
        if (last.length > 0) yield last
        return
      }
      // The rest may be the start of a delimiter.
      const sure = this.#held.length - this.#delimiter.length + 1
      if (sure > 0) {
        const part = this.#held.subarray(0, sure)
        this.#held = this.#held.subarray(sure)
        yield part
      }
      await this.#more()
    }
  }

  async skipRest(): Promise<void> {
    this.#held = Buffer.alloc(0)
    while (!(await this.#chunks.next()).done);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next()
    if (done) throw malformed('it ends before its last boundary')
    this.#held = this.#held.length === 0 ? Buffer.from(value) : Buffer.concat([this.#held, value])
  }
}
