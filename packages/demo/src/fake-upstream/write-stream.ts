/** Frames onto a connection, in good order or with one of the faults of bytes and time. */
import type { ServerResponse } from 'node:http'
import { sleep } from '@toolwire/core'
import type { Fault } from './faults.ts'
import { type Frame, toText } from './frame.ts'

export interface StreamTarget {
  readonly response: ServerResponse
  readonly ping: Frame
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

/** Writes frames as they come, waiting for the client to read. Resolves when the answer is over. */
export async function writeLive(frames: AsyncIterable<Frame>, target: StreamTarget): Promise<void> {
  for await (const frame of frames) {
    if (target.signal.aborted) return
    if (!target.response.write(toText(frame, '\n'))) await drained(target)
  }
  target.response.end()
}

function drained({ response, signal }: StreamTarget): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      response.off('drain', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    response.on('drain', done)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}

/** Writes frames the way `fault` wants them. */
export async function writeSpoiled(
  frames: readonly Frame[],
  fault: Fault,
  target: StreamTarget,
): Promise<void> {
  const { response } = target
  const texts = frames.map(frame => toText(frame, fault.name === 'crlf' ? '\r\n' : '\n'))
  const after = fault.after ?? Math.floor(texts.length / 2)
  switch (fault.name) {
    case 'one-byte':
      return writeBytes(Buffer.from(texts.join('')), target)
    case 'cut-frame':
      return cut(texts.slice(0, after).join('') + (texts[after] ?? '').slice(0, 20), target)
    case 'cut-utf8':
      return cut(insideCharacter(Buffer.from(texts.join(''))), target)
    case 'silence':
      response.write(texts.slice(0, after).join(''))
      return gone(target.signal)
    case 'silence-pings':
      response.write(texts.slice(0, after).join(''))
      return pingForever(fault.ms ?? 5, target)
    default:
      response.end(texts.join(''))
  }
}

async function writeBytes(bytes: Buffer, { response, signal }: StreamTarget): Promise<void> {
  // Separate writes in one turn of the loop would be joined into one packet.
  for (const byte of bytes) {
    if (signal.aborted) return
    response.write(Buffer.of(byte))
    await new Promise(resolve => setImmediate(resolve))
  }
  response.end()
}

/** Ends the connection without ending the answer. */
function cut(data: string | Buffer, { response }: StreamTarget): Promise<void> {
  return new Promise(resolve => {
    response.write(data, () => {
      // Lets the bytes arrive before the reset overtakes them.
      setTimeout(() => {
        response.destroy()
        resolve()
      }, 10)
    })
  })
}

/** Everything up to the middle of the first multi-byte character; half of the bytes without one. */
function insideCharacter(bytes: Buffer): Buffer {
  const place = bytes.findIndex(byte => byte >= 0xc0)
  return bytes.subarray(0, place === -1 ? bytes.length >> 1 : place + 1)
}

const gone = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

async function pingForever(ms: number, { response, ping, signal }: StreamTarget): Promise<void> {
  while (!signal.aborted) {
    response.write(toText(ping, '\n'))
    await sleep(ms, signal)
  }
}
