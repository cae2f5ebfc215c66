/** A request exactly as written here: clients such as fetch would fix paths, hosts and lengths. */
import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly text: string
}

/** `head` is the request line and headers without the last empty line. Resolves when the server has closed. */
export function rawRequest(
  url: string,
  head: readonly string[],
  body: string | Buffer = '',
): Promise<RawAnswer> {
  const bytes = Buffer.from(body)
  const lines = [...head, 'Connection: close', `Content-Length: ${bytes.length}`, '', '']
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(lines.join('\r\n'))
      socket.write(bytes)
    })
    socket.on('data', chunk => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text })
    })
  })
}
