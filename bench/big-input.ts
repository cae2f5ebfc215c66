/** One call with a very large input in tiny deltas, through the real server: linear in time and memory or not. */
import { TOOLWIRE } from './contestant.ts'
import { knobsName } from './knobs.ts'
import { cpuMicros, residentBytes } from './process-meter.ts'
import { takeTurns } from './take-turns.ts'

export interface BigInputRow {
  readonly chars: number
  /** Deltas that the provider sent, and frames with arguments that the client got. */
  readonly deltas: number
  readonly frames: number
  readonly cpu_ms: number
  readonly wall_ms: number
  /** By how much the server's memory was larger at the end. */
  readonly grown_mb: number
}

const PIECE = 16
const ECHO = {
  name: 'echo',
  description: 'Echo',
  input_schema: { type: 'object', properties: { data: { type: 'string' } } },
}

/** One row per size, after a small one that warms up. Throws when arguments are missing. */
export async function bigInput(sizes: readonly number[]): Promise<readonly BigInputRow[]> {
  const rows: BigInputRow[] = []
  await takeTurns(
    [TOOLWIRE],
    1,
    async ({ subject }) => {
      await ask(subject.url, subject.pid, 20_000)
      for (const chars of sizes) rows.push(await ask(subject.url, subject.pid, chars))
    },
    (_, why) => {
      throw new Error(why)
    },
  )
  return rows
}

async function ask(url: string, pid: number, chars: number): Promise<BigInputRow> {
  const model = knobsName('claude-bench', { d: 1, r: 1, p: 1, t: chars, u: PIECE })
  const before = { cpu: cpuMicros(pid), memory: residentBytes(pid), at: performance.now() }
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({
      model,
      stream: true,
      max_tokens: 4096,
      tools: [ECHO],
      messages: [{ role: 'user', content: `call it with ${chars}` }],
    }),
  })
  const text = await response.text()
  const inputs = [...text.matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/g)].map(match =>
    JSON.parse(match[1] ?? '""'),
  )
  const got = inputs.join('').length
  if (got !== chars) throw new Error(`${got} of ${chars} characters: ${text.slice(0, 300)}`)
  return {
    chars,
    deltas: Math.ceil(chars / PIECE),
    frames: inputs.length,
    cpu_ms: (cpuMicros(pid) - before.cpu) / 1000,
    wall_ms: performance.now() - before.at,
    grown_mb: (residentBytes(pid) - before.memory) / 1e6,
  }
}
