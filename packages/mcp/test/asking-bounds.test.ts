/** The limit of a server's questions before it answers: as many as the bound says, for any question. */
import { UrlElicitationRequiredError } from '@modelcontextprotocol/client'
import { inputRequired } from '@modelcontextprotocol/server'
import { afterEach, expect, test } from 'vitest'
import { createStage, type Stage, textOf } from '../../tools/test/stage.ts'
import { createMcpTool } from '../src/mcp-tool.ts'
import { fixedConnection, ONE_TOOL } from './fixed-connection.ts'

let stage: Stage | undefined
afterEach(() => {
  stage?.close()
  stage = undefined
})

/** A server with a given answer to the nth attempt; counts its calls. */
function serve(answer: (attempt: number) => unknown) {
  let attempts = 0
  const connection = fixedConnection('asking', async () => (await answer(++attempts)) as never)
  const own = createStage({
    tools: [createMcpTool('asking', ONE_TOOL, connection)],
    mode: 'bypassPermissions',
  })
  stage = own
  return { stage: own, attempts: () => attempts }
}

const question = (message: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { n: { type: 'number' } } },
  })

/** Answers every question; how many there were. */
async function answerAll(s: Stage): Promise<number> {
  await s.say([{ name: 'asking', input: {} }])
  for (let asked = 0; ; asked++) {
    if ((await s.settle()) !== 'pause') return asked
    const [call] = s.state().calls
    if (!call || asked > 50) throw new Error('it is asked without end')
    s.approve(call)
    // Nothing of the rounds so far is only in memory.
    s.restart()
  }
}

test('a server that answers with a question each time is given up after the twentieth, over restarts too', async () => {
  const { stage: s, attempts } = serve(n => inputRequired({ inputRequests: { q: question(`again ${n}`) } }))
  expect(await answerAll(s)).toBe(20)
  expect(textOf(s.state().calls[0])).toContain('asked more than 20 times without a result')
  expect(s.events('tool.approval_requested').map(event => event.message)).toEqual(
    Array.from({ length: 20 }, (_, n) => `again ${n + 1}`),
  )
  expect(attempts()).toBe(21)
})

test('a server that has its answer after the twentieth question gives it', async () => {
  const { stage: s } = serve(n =>
    n <= 20
      ? inputRequired({ inputRequests: { q: question(`again ${n}`) } })
      : { content: [{ type: 'text', text: 'at last' }] },
  )
  expect(await answerAll(s)).toBe(20)
  expect(textOf(s.state().calls[0])).toBe('at last')
})

test('a server that asks for automatic answers is given up as soon', async () => {
  const { stage: s, attempts } = serve(() =>
    inputRequired({ inputRequests: { folders: inputRequired.listRoots() } }),
  )
  expect(await answerAll(s)).toBe(0)
  expect(textOf(s.state().calls[0])).toContain('asked more than 20 times')
  expect(attempts()).toBe(21)
})

test('a server that wants a page opened before every attempt is given up as soon', async () => {
  const page = {
    mode: 'url' as const,
    message: 'Please sign in.',
    url: 'https://example.com/',
    elicitationId: 'e',
  }
  const { stage: s, attempts } = serve(() => {
    throw new UrlElicitationRequiredError([page])
  })
  expect(await answerAll(s)).toBe(20)
  expect(s.state().calls[0]?.outcome?.is_error).toBe(true)
  expect(attempts()).toBe(21)
})

test('a server may ask for twenty things at once and no more', async () => {
  const many = (count: number) => () =>
    inputRequired({
      inputRequests: Object.fromEntries(Array.from({ length: count }, (_, n) => [`q${n}`, question(`${n}`)])),
    })
  const first = serve(many(21))
  expect(await answerAll(first.stage)).toBe(0)
  expect(textOf(first.stage.state().calls[0])).toContain('asked for 21 things at once')
  first.stage.close()
  let round = 0
  const { stage: s } = serve(() =>
    round++ === 0 ? many(20)() : { content: [{ type: 'text', text: 'done' }] },
  )
  expect(await answerAll(s)).toBe(20)
  expect(textOf(s.state().calls[0])).toBe('done')
})
