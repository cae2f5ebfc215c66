/**
 * Cost of a view while text streams into it, in pieces of 16 characters: partial arguments of a call, Markdown
 * split into blocks, terminal output with colors and progress bars. Each at two sizes, one four times the other:
 * linear work costs the same per character at both. CPU time, so that other load does not matter.
 */
import {
  ansiSpans,
  applyRecord,
  emptyView,
  MarkdownBlocks,
  type SessionView,
  type ViewRecord,
} from '@toolwire/core/view'

export interface ViewCost {
  readonly name: string
  readonly chars: number
  readonly cpu_ms: number
  /** Cost per character against the smaller size: 1 if the work is linear, 4 if it is quadratic. */
  readonly growth?: number
}

const PIECE = 16
/** A page draws far less often than pieces arrive, and each time all of its blocks. */
const DRAWS = 100

const WORK: Readonly<Record<string, (chars: number) => void>> = {
  'arguments, one long string': chars =>
    streamArguments(JSON.stringify({ content: 'line of text\n'.repeat(chars / 13) })),
  'arguments, many escapes': chars => streamArguments(JSON.stringify({ content: '"\\\n'.repeat(chars / 6) })),
  'arguments, nested': chars =>
    streamArguments(
      JSON.stringify({ rows: Array.from({ length: chars / 20 }, (_, n) => ({ n, t: 'abc' })) }),
    ),
  'Markdown, many blocks': chars =>
    streamMarkdown('A paragraph of text.\n\n- one\n- two\n\n'.repeat(chars / 36)),
  'Markdown, one code block': chars => streamMarkdown(`\`\`\`ts\n${'const a = 1\n'.repeat(chars / 12)}`),
  'ANSI, colours': chars => void ansiSpans('\u001b[31mred\u001b[0m plain\n'.repeat(chars / 20)),
  'ANSI, progress bars': chars =>
    void ansiSpans(`${'done\n'.repeat(chars / 10)}${'\rworking'.repeat(chars / 16)}`),
}

/** The best of `rounds` for every kind of text, small before large. */
export function* viewCosts(chars: number, rounds: number): Generator<ViewCost> {
  for (const [name, work] of Object.entries(WORK)) {
    const best = (size: number): number =>
      Math.min(...Array.from({ length: rounds }, () => cpuOf(() => work(size))))
    const small = { name, chars: chars / 4, cpu_ms: best(chars / 4) }
    yield small
    const cpu_ms = best(chars)
    yield { name, chars, cpu_ms, growth: cpu_ms / chars / (small.cpu_ms / small.chars) }
  }
}

function cpuOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** The whole way of a delta: record, fold, peek. */
function streamArguments(input_text: string): void {
  const call = { call_id: 'c', name: 'Write', tool_type: 'builtin', executor: 'server' } as const
  const ts = '2026-01-01T00:00:00.000Z'
  const block = { type: 'block.started', ts, message_id: 'm', block_id: 'b', index: 0, run_index: 0 } as const
  let view: SessionView = applyRecord(emptyView(), {
    seq: 1,
    ev: { ...block, kind: 'tool_use', tool: call },
  } as ViewRecord)
  for (let offset = 0, seq = 2; offset < input_text.length; offset += PIECE, seq++) {
    const piece = input_text.slice(offset, offset + PIECE)
    const ev = { type: 'block.delta', ts, block_id: 'b', offset, input_text: piece } as const
    view = applyRecord(view, { seq, ev } as ViewRecord)
  }
  if (view.calls.get('c')?.peek?.mode !== 'done') throw new Error('the arguments were not read to their end')
}

function streamMarkdown(text: string): void {
  const blocks = new MarkdownBlocks()
  const everySo = Math.ceil(text.length / PIECE / DRAWS)
  for (let at = 0, n = 0; at < text.length; at += PIECE, n++) {
    blocks.push(text.slice(at, at + PIECE))
    if (n % everySo === 0) blocks.blocks()
  }
  if (blocks.blocks().length === 0) throw new Error('the text has no blocks')
}
