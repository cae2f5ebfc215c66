/** Whatever the log holds: the AI SDK and LangChain read the same words and calls of the Responses API from it. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { responsesWire } from '@toolwire/wire'
import { expect, test } from 'vitest'
import { answering, answersOf, gatewayLog, type LoggedAnswer, SEEDS } from '../../wire/test/gateway/answers.ts'
import { folderOf } from './installed.ts'
import { clientCache } from './python-packages.ts'
import { responsesClients } from './responses-clients.ts'

// biome-ignore lint/suspicious/noExplicitAny: packages outside of the tree have no types here
type Package = any

const root = join(clientCache(), folderOf(responsesClients), 'package.json')
const load = async (name: string): Promise<Package> =>
  await import(pathToFileURL(createRequire(root).resolve(name)).href)

interface Reading {
  readonly text: string
  readonly calls: readonly (readonly [string, string])[]
}

/** Reads one stream as its client does; throws where the client throws. */
type Reader = (answer: LoggedAnswer) => Promise<Reading>

async function readByAiSdk(model: Package): Promise<Reading> {
  const { streamText, jsonSchema, tool } = await load('ai')
  const inputSchema = jsonSchema({ type: 'object' })
  const names = ['browse', 'locate', 'pick', 'Bash', 'Read', 'Write']
  const tools = Object.fromEntries(names.map(name => [name, tool({ inputSchema })]))
  const result = streamText({ model, prompt: 'x', tools, maxRetries: 0, onError() {} })
  const calls: [string, string][] = []
  let text = ''
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta') text += part.text
    if (part.type === 'tool-call') calls.push([part.toolCallId, part.toolName])
    if (part.type === 'error') throw part.error
  }
  return { text, calls }
}

const READERS: Readonly<Record<string, Reader>> = {
  '@ai-sdk/openai': async ({ sse }) => {
    const { createOpenAI } = await load('@ai-sdk/openai')
    return await readByAiSdk(createOpenAI({ apiKey: 'k', baseURL: 'http://none/v1', fetch: answering(sse) }).responses('m'))
  },
  '@ai-sdk/open-responses': async ({ sse }) => {
    const { createOpenResponses } = await load('@ai-sdk/open-responses')
    const url = 'http://none/v1/responses'
    return await readByAiSdk(createOpenResponses({ name: 'n', url, apiKey: 'k', fetch: answering(sse) })('m'))
  },
  '@langchain/openai': async ({ sse }) => {
    const { ChatOpenAI } = await load('@langchain/openai')
    const configuration = { baseURL: 'http://none/v1', fetch: answering(sse) }
    const model = new ChatOpenAI({ model: 'm', apiKey: 'k', useResponsesApi: true, maxRetries: 0, configuration })
    let whole: Package
    for await (const chunk of await model.stream('x')) whole = whole ? whole.concat(chunk) : chunk
    const calls = (whole?.additional_kwargs?.tool_outputs ?? whole?.tool_call_chunks ?? []).map((call: Package) => [
      call.id,
      call.name,
    ])
    return { text: whole?.text ?? '', calls }
  },
}

test.each(Object.keys(READERS))('%s reads random logs', async name => {
  let calls = 0
  let errors = 0
  for (const seed of SEEDS.slice(0, 25))
    for (const answer of answersOf(gatewayLog(seed), responsesWire, {})) {
      const read = READERS[name]?.(answer)
      if (answer.fails) {
        errors += 1
        await expect(read).rejects.toThrow()
        continue
      }
      const found = await read
      // Not all clients count a refusal as text.
      expect(answer.text.includes(found?.text ?? '')).toBe(true)
      expect(found?.calls).toEqual(answer.calls.map(call => [call.id, call.name]))
      calls += answer.calls.length
    }
  expect(calls).toBeGreaterThan(5)
  expect(errors).toBeGreaterThan(2)
})
