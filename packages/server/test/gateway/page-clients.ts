/** The script of a page that asks a gateway of another origin through the vendors' clients, with the headers they send. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'

const messages = [{ role: 'user' as const, content: 'say hi' }]
const failing = [{ role: 'user' as const, content: 'fail model_overloaded 529' }]

async function askAll(url: string): Promise<Record<string, unknown>> {
  const common = { apiKey: 'k', dangerouslyAllowBrowser: true, maxRetries: 0 }
  const openai = new OpenAI({ ...common, baseURL: `${url}/v1`, organization: 'o', project: 'p' })
  const headers = { 'x-session-id': 'from-a-page', 'x-tool-repair': 'repair', 'idempotency-key': 'one' }
  const stream = openai.chat.completions.stream({ model: 'demo', messages }, { headers })
  const { content } = await stream.finalMessage()
  const { response } = await openai.chat.completions
    .create({ model: 'demo', messages, seed: 5 })
    .withResponse()
  const anthropic = new Anthropic({ ...common, baseURL: url })
  const body = { model: 'demo', max_tokens: 9 }
  const message = await anthropic.messages.stream({ ...body, messages }).finalMessage()
  const overloaded = await anthropic.messages
    .create({ ...body, messages: failing })
    .then(() => undefined)
    .catch((error: unknown) => (error instanceof Anthropic.APIError ? error.status : String(error)))
  return {
    openai: content,
    session: response.headers.get('x-session-id'),
    cursor: response.headers.get('x-session-cursor'),
    warnings: response.headers.get('x-toolwire-warnings'),
    anthropic: message.content.map(block => (block.type === 'text' ? block.text : block.type)).join(''),
    overloaded,
  }
}

Object.assign(globalThis, {
  ask: (url: string) =>
    askAll(url).catch((error: unknown) => ({
      failed: error instanceof Error ? error.message : String(error),
    })),
})
