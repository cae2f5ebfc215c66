/**
 * The providers' API of the benchmarks, in both dialects. What it streams is written in the model's name,
 * because that passes through every server: `claude-bench.d500.b24` (see knobs.ts). Its parent ends it.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseKnobs } from './knobs.ts'
import { type Piece, script, stampAt } from './upstream-script.ts'

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => answer(request.url ?? '', Buffer.concat(chunks).toString('latin1'), response))
})

function answer(url: string, body: string, response: ServerResponse): void {
  if (request(body) === undefined) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"object":"list","data":[],"input_tokens":1}')
    return
  }
  const model = request(body) ?? ''
  const knobs = parseKnobs(model)
  const dialect = url.includes('messages') ? 'messages' : 'chat'
  const results = count(body, dialect === 'messages' ? '"tool_result"' : '"role":"tool"')
  const round = Math.min(knobs.r, Math.floor(results / knobs.p))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.socket?.setNoDelay(true)
  play(script(dialect, model, round), knobs.w, response)
}

/** One piece per turn of the loop, or one every `paceMs`; as fast as they are taken otherwise. */
function play(pieces: readonly Piece[], paceMs: number, response: ServerResponse): void {
  let at = 0
  const step = (): void => {
    const piece = pieces[at++]
    if (response.destroyed) return
    if (!piece) return void response.end()
    const hasRoom = response.write(piece.stamp < 0 ? piece.bytes : stampAt(piece.bytes, piece.stamp))
    const pause = piece.pauseMs || (piece.isDelta ? paceMs : 0)
    if (pause > 0) setTimeout(step, pause)
    else if (hasRoom) setImmediate(step)
    else response.once('drain', step)
  }
  step()
}

const request = (body: string): string | undefined => /"model"\s*:\s*"([^"]*)"/.exec(body)?.[1]

const count = (text: string, part: string): number => text.replaceAll('": "', '":"').split(part).length - 1

server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
)
process.on('message', () => process.exit(0))
process.on('disconnect', () => process.exit(0))
