/** CPU microseconds per delta: model → durable log → chat wire → socket, at saturation. */
import { request } from 'node:http'
import { startMeasured } from './child.ts'

export interface RelayResult {
  readonly streams: number
  readonly deltas: number
  readonly frames: number
  readonly cpu_us_per_delta: number
  readonly wall_ms: number
}

interface Load {
  readonly cpu: NodeJS.CpuUsage
  readonly rss: number
}

export async function relay(streams: number, deltas: number): Promise<RelayResult> {
  const server = await startMeasured<Load>('./relay-server.ts', { env: { DELTAS: String(deltas) } })
  await Promise.all(Array.from({ length: 10 }, () => stream(server.url)))
  const before = await server.report()
  const started = performance.now()
  const counts = await Promise.all(Array.from({ length: streams }, () => stream(server.url)))
  const wall_ms = performance.now() - started
  const after = await server.report()
  await server.stop()
  const cpu = after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system
  const frames = counts.reduce((sum, one) => sum + one, 0)
  return { streams, deltas, frames, cpu_us_per_delta: cpu / (streams * deltas), wall_ms }
}

/** One conversation from start to `done`; returns the number of text frames, and fails when text is missing. */
async function stream(url: string): Promise<number> {
  const session = await (await fetch(`${url}/api/sessions`, { method: 'POST' })).json()
  const body = JSON.stringify({ session_id: (session as { id: string }).id, message: 'go' })
  const text = await post(`${url}/api/chat/stream`, body)
  if (!text.includes('"type":"done"')) throw new Error(`stream did not end: ${text.slice(-300)}`)
  return text.split('"type":"text_delta"').length - 1
}

function post(url: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const call = request(url, { method: 'POST', headers }, response => {
      const chunks: string[] = []
      response.setEncoding('utf8')
      response.on('data', chunk => chunks.push(chunk))
      response.on('end', () => resolve(chunks.join('')))
      response.on('error', reject)
    })
    call.on('error', reject)
    call.end(body)
  })
}
