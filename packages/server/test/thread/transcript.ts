/**
 * Transcripts in the documentation: requests (`>`) and responses (`<`). Replayed against a server; ids are renamed
 * in order of appearance, times are omitted, and chunks of one text are joined, because the splitting of a text is
 * not a contract.
 */
import { parseEvents } from './thread-client.ts'

export interface Transcript {
  readonly name: string
  readonly lines: readonly string[]
}

/** The fenced blocks that begin with ```text transcript NAME. */
export function readTranscripts(markdown: string): readonly Transcript[] {
  const blocks = markdown.matchAll(/^```text transcript (\S+)\n([\s\S]*?)^```$/gm)
  return [...blocks].map(([, name = '', text = '']) => ({ name, lines: text.trimEnd().split('\n') }))
}

/** Sends the transcript's requests, and returns the transcript as it went this time. */
export async function replay(url: string, transcript: Transcript): Promise<readonly string[]> {
  const names = createNames()
  const out: string[] = []
  for (const line of transcript.lines.filter(one => one.startsWith('> '))) {
    const [, method = '', path = '', body] = /^> (\S+) (\S+)(?: (.+))?$/.exec(line) ?? []
    const response = await fetch(url + names.toReal(path), {
      method,
      headers: body === undefined ? {} : { 'content-type': 'application/json' },
      body: body === undefined ? null : names.toReal(body),
    })
    out.push(line, ...(await describeAnswer(response, names)))
  }
  return out
}

async function describeAnswer(response: Response, names: Names): Promise<readonly string[]> {
  const text = await response.text()
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const body: unknown = text === '' ? undefined : JSON.parse(text, (key, value) => names.toName(key, value))
    return [`< ${response.status}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`]
  }
  const lines: string[] = []
  let chunk = ''
  for (const { type, data } of parseEvents(text)) {
    if (type === 'text.chunk') {
      chunk += data.content
      continue
    }
    if (chunk !== '') lines.push(`< text.chunk ${JSON.stringify({ content: chunk })}`)
    chunk = ''
    const {
      type: _,
      timestamp: __,
      ...fields
    } = JSON.parse(JSON.stringify(data), (key, value) => names.toName(key, value))
    lines.push(`< ${type} ${JSON.stringify(fields)}`)
  }
  return lines
}

type Names = ReturnType<typeof createNames>

const KINDS: Readonly<Record<string, string>> = {
  conversation_id: 'conv_',
  user_msg_id: 'msg_',
  assistant_msg_id: 'msg_',
  msg_id: 'msg_',
  call_id: 'call_',
  approval_id: 'apr_',
  run_token: 'run_',
  request_id: 'req_',
}
const FIRST_THREAD = 42

/** Names for ids: `call_1`, `conv_1` …, threads from 42 on. */
function createNames() {
  const byReal = new Map<unknown, string | number>()
  const counts = new Map<string, number>()
  const next = (kind: string): number => {
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return count
  }
  return {
    toName(key: string, value: unknown): unknown {
      // What an approver sees beside the arguments is the tool's own affair.
      if (key === 'pending_approvals' && Array.isArray(value))
        return value.map(({ details: _, ...approval }: Record<string, unknown>) => approval)
      const prefix = KINDS[key]
      const isThread = key === 'thread_id' && typeof value === 'number'
      if (value === null || (prefix === undefined && !isThread)) return value
      const known = byReal.get(value)
      if (known !== undefined) return known
      const name = isThread ? FIRST_THREAD - 1 + next('thread') : `${prefix}${next(prefix ?? '')}`
      byReal.set(value, name)
      return name
    },
    /** Puts real ids where a request of the transcript has names. */
    toReal(text: string): string {
      let out = text
      for (const [real, name] of byReal)
        out =
          typeof name === 'number'
            ? out.replace(new RegExp(`(thread_id":|/threads/)${name}\\b`), `$1${real}`)
            : out.replace(new RegExp(`\\b${name}\\b`, 'g'), String(real))
      return out
    },
  }
}
