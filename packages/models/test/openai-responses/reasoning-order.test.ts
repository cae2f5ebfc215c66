/** Encrypted reasoning goes back right before the item that it led to, whatever became of the messages around it. */
import type { AssistantPart, HistoryMessage } from '@toolwire/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toResponsesRequest } from '../../src/openai-responses/request.ts'

const PROVIDER = 'openai:openai-responses'
type Kind = 'own' | 'foreign' | 'clear' | 'hidden' | 'text' | 'blank' | 'refusal' | 'call' | 'search'

/** Parts whose text or id is their number, so that each is found again in the body. */
function toPart(kind: Kind, n: number): AssistantPart {
  const reasoning = (provider: string, encrypted_content: string | undefined) => ({
    provider,
    model: 'm',
    data: { type: 'reasoning', id: `rs_${n}`, summary: [], encrypted_content },
  })
  switch (kind) {
    case 'own':
      return { type: 'thinking', thinking: 'hm', opaque: reasoning(PROVIDER, `enc_${n}`) }
    case 'foreign':
      return { type: 'thinking', thinking: 'hm', opaque: reasoning('azure:openai-responses', `enc_${n}`) }
    case 'clear':
      return { type: 'thinking', thinking: 'hm', opaque: reasoning(PROVIDER, undefined) }
    case 'hidden':
      return { type: 'redacted_thinking', data: null, opaque: reasoning(PROVIDER, `enc_${n}`) }
    case 'text':
      return { type: 'text', text: `n${n}_` }
    case 'blank':
      return { type: 'text', text: ' ' }
    case 'refusal':
      return { type: 'refusal', text: `n${n}_` }
    case 'call':
      return { type: 'tool_use', call_id: `n${n}_`, name: 'read', input_text: '{}' }
    case 'search':
      return { type: 'provider', kind: 'provider_tool_use', data: { type: 'web_search_call', id: `n${n}_` } }
  }
}

const kinds = fc.array(
  fc.constantFrom<Kind>(
    'own',
    'own',
    'foreign',
    'clear',
    'hidden',
    'text',
    'blank',
    'refusal',
    'call',
    'search',
  ),
  { maxLength: 7 },
)
/** What is between two answers: nothing after an abort or an edit, the results of some calls, or a message. */
const between = fc.constantFrom('nothing', 'results', 'some results', 'user')

const RS = /^rs_(\d+)$/

test('every reasoning item is sent right before the item that followed it in its message', () => {
  let found = 0
  fc.assert(
    fc.property(fc.array(fc.tuple(kinds, between), { minLength: 1, maxLength: 6 }), conversation => {
      let n = 0
      const followers = new Map<number, number>()
      const messages: HistoryMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }]
      for (const [list, gap] of conversation) {
        const numbered = list.map(kind => ({ kind, n: n++ }))
        for (const [at, { kind, n: own }] of numbered.entries()) {
          const next = numbered.slice(at + 1).find(one => /text|refusal|call|search/.test(one.kind))
          if (/own|hidden/.test(kind) && next) followers.set(own, next.n)
        }
        const content = numbered.map(one => toPart(one.kind, one.n))
        messages.push({ role: 'assistant', message_id: 'm', provider: PROVIDER, model: 'm', content })
        messages.push(...toGap(gap, content))
      }
      const { body } = toResponsesRequest(
        { model: 'm', messages, tools: [] },
        { capability: undefined, isOfficial: true, provider: PROVIDER },
      )
      const items = body.input as readonly Readonly<Record<string, unknown>>[]
      for (const [at, item] of items.entries()) {
        if (item['type'] !== 'reasoning') continue
        found += 1
        const own = Number(RS.exec(String(item['id']))?.[1])
        const next = items.slice(at + 1).find(({ type }) => type !== 'reasoning')
        expect(JSON.stringify(next)).toContain(`"n${followers.get(own)}_"`)
      }
    }),
    { numRuns: 500 },
  )
  expect(found).toBeGreaterThan(200)
})

function toGap(gap: string, content: readonly AssistantPart[]): readonly HistoryMessage[] {
  if (gap === 'nothing') return []
  if (gap === 'user') return [{ role: 'user', content: [{ type: 'text', text: 'next' }] }]
  const calls = content.flatMap(part => (part.type === 'tool_use' ? [part.call_id] : []))
  const answered = gap === 'results' ? calls : calls.slice(1)
  const results = answered.map(call_id => ({
    type: 'tool_result' as const,
    call_id,
    name: 'read',
    output_text: 'ok',
    content: [],
    is_error: false,
  }))
  return results.length > 0 ? [{ role: 'tool', results }] : []
}
