/**
 * An upstream of both APIs that sends half of a message and waits: for its client to leave, or for the kind of
 * failure.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDemoModel } from '@toolwire/demo'
import { createModelFinder } from '@toolwire/models'

export const HALF = 'half an '

const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
const MESSAGES = [
  event('message_start', {
    message: { id: 'msg_1', model: 'm', usage: { input_tokens: 11, output_tokens: 2 } },
  }),
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: HALF } }),
].join('')

const chunk = (delta: object): string =>
  `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
const COMPLETIONS = chunk({ role: 'assistant', content: '' }) + chunk({ content: HALF })

const ERRORS = {
  messages: event('error', { error: { type: 'api_error', message: 'Something broke.' } }),
  completions: `data: ${JSON.stringify({ error: { message: 'Something broke.', type: 'server_error' } })}\n\n`,
}

/** Closed by the caller. */
export async function startHalfUpstream() {
  let answering: { readonly response: ServerResponse; readonly isMessages: boolean } | undefined
  let begin: () => void = () => {}
  let end: () => void = () => {}
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  const cut = new Promise<void>(resolve => {
    end = resolve
  })
  const server = createServer((request, response) => {
    const isMessages = request.url?.endsWith('/messages') ?? false
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(isMessages ? MESSAGES : COMPLETIONS)
    response.once('close', end)
    answering = { response, isMessages }
    begin()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    /** Resolves with the first request. */
    begun,
    /** Resolves when the first connection is closed, by whomever. */
    cut,
    models: createModelFinder({
      demo: createDemoModel({ paceMs: 0 }),
      env: {
        ANTHROPIC_API_KEY: 'key-a',
        ANTHROPIC_BASE_URL: url,
        OPENAI_API_KEY: 'key-o',
        OPENAI_BASE_URL: `${url}/v1`,
      },
      retry: { maxRetries: 0 },
    }),
    /** An error in the API's own words, a connection that dies, or a polite end that comes too early. */
    breakOff(how: 'error' | 'reset' | 'end'): void {
      if (!answering) return
      const { response, isMessages } = answering
      if (how === 'reset') response.destroy()
      else response.end(how === 'error' ? ERRORS[isMessages ? 'messages' : 'completions'] : '')
    },
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}
