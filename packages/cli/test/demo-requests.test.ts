import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient, type LiveSession } from '@toolwire/client'
import type { ContentPart } from '@toolwire/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../src/testing.ts'
import { type DemoRequest, ENGLISH, OTHER_WORDINGS, SIMPLIFIED, TRADITIONAL } from './demo-requests.ts'

const SAMPLE = fileURLToPath(new URL('../sample-workspace', import.meta.url))
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const THEME = {
  description: 'Change the theme of the page',
  input_schema: { type: 'object', properties: { theme: { type: 'string', enum: ['light', 'dark'] } } },
  handler: async () => 'ok',
}
const MOST_ROUNDS = 6

let server: TestServer
let workspace: string
let client: ReturnType<typeof createClient>

beforeAll(async () => {
  workspace = mkdtempSync(join(tmpdir(), 'toolwire-demo-'))
  server = await startTestServer({ workspace })
  client = createClient({ baseUrl: server.url, frameMs: 0 })
})
afterAll(async () => {
  client.close()
  await server.close()
  rmSync(workspace, { recursive: true, force: true })
})

/** Sends a message, decides what waits, and resolves when the run has ended. */
async function talk(
  session: LiveSession,
  message: string | readonly ContentPart[],
  deny?: DemoRequest['deny'],
) {
  const before = session.getSnapshot().view.turns.length
  const decided = new Set<string>()
  const decide = async (): Promise<void> => {
    for (const item of session.getSnapshot().view.pending) {
      if (item.kind === 'client_tool' || decided.has(item.id)) continue
      decided.add(item.id)
      if (item.kind === 'question') await client.answer(item.id, answersTo(item.input_text))
      else if (deny && item.name === deny.tool) await client.deny(item.id, deny.reason)
      else await client.approve(item.id)
    }
  }
  const leave = session.subscribe(() => void decide())
  await session.send(message)
  const { view } = await session.until(({ view: { turns, phase } }) => {
    const turn = turns.at(-1)
    return turns.length > before && phase === 'idle' && turn !== undefined && turn.state !== 'running'
  })
  leave()
  return view
}

/** The first option of every question. */
function answersTo(inputText: string): unknown {
  const { questions } = JSON.parse(inputText) as {
    questions: readonly { question: string; options: readonly { label: string }[] }[]
  }
  return Object.fromEntries(questions.map(one => [one.question, one.options[0]?.label]))
}

async function check(request: DemoRequest): Promise<void> {
  rmSync(workspace, { recursive: true, force: true })
  cpSync(SAMPLE, workspace, { recursive: true })
  const { id } = await client.sessions.create()
  const session = client.session(id)
  const remove = session.registerTool('set_theme', THEME)
  for (const earlier of request.before ?? []) await talk(session, earlier, request.deny)
  const media: readonly ContentPart[] = request.image
    ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }]
    : []
  const message = request.image ? [{ type: 'text' as const, text: request.ask }, ...media] : request.ask
  const view = await talk(session, message, request.deny)
  const turn = view.turns.at(-1)
  const messages = (turn?.messages ?? []).flatMap(one => view.messages.get(one) ?? [])
  const said = messages.filter(one => one.role === 'assistant')
  const blocks = said.map(one => one.blocks.flatMap(block => view.blocks.get(block) ?? []))
  const calls = blocks.flat().flatMap(block => view.calls.get(block.call ?? '') ?? [])
  const answer = (blocks.at(-1) ?? []).map(block => block.text ?? '').join('')
  expect([turn?.state, calls.map(call => call.name)]).toEqual(['completed', request.tools])
  for (const part of request.answer) expect(answer).toMatch(part)
  expect(said.length).toBeLessThanOrEqual(MOST_ROUNDS)
  expect(answer).not.toMatch(/follow simple requests only|只听得懂|只聽得懂/)
  const [path, content] = request.file ?? []
  if (path !== undefined && content) expect(readFileSync(join(workspace, path), 'utf8')).toMatch(content)
  remove()
  session.close()
}

const cases = (list: readonly DemoRequest[]) => list.map(request => [request.ask, request] as const)

describe('the demo model does ordinary requests in the sample workspace', () => {
  test.each(cases(ENGLISH))('in English: %s', (_, request) => check(request))
  test.each(cases(SIMPLIFIED))('in simplified Chinese: %s', (_, request) => check(request))
  test.each(cases(TRADITIONAL))('in traditional Chinese or mixed: %s', (_, request) => check(request))
  test.each(cases(OTHER_WORDINGS))('in other words: %s', (_, request) => check(request))
})

test('there are sixty of them', () => {
  expect(new Set([...ENGLISH, ...SIMPLIFIED, ...TRADITIONAL].map(({ ask }) => ask)).size).toBe(60)
})
