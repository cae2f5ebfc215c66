import type { ModelPart } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDemoModel } from '../../src/demo/demo-model.ts'
import { toInputText } from '../../src/demo/input/input-text.ts'
import { seededNumbers } from '../../src/demo/plan/digest.ts'
import { splitJson, splitProse } from '../../src/demo/plan/split-text.ts'
import { planSteps } from '../../src/demo/plan/stream-plan.ts'
import { ask, BUILTIN, CLIENT, faultsOf, partsOf, read } from './demo-harness.ts'

describe('demo stream', () => {
  it('reproduces the documented sample of the streaming chat API delta by delta', async () => {
    const parts = await partsOf(ask('帮我看看当前目录下有什么文件'))
    expect(parts).toMatchInlineSnapshot(`
      [
        {
          "model": "demo",
          "provider_message_id": "msg_01nYTneFN6vsSKSrMRQo4Cfv",
          "type": "start",
          "usage": {
            "cache_read": 0,
            "cache_write": 495,
            "input": 20,
            "output": 1,
            "reasoning": 0,
          },
        },
        {
          "index": 0,
          "kind": "text",
          "type": "block-start",
        },
        {
          "index": 0,
          "text": "我",
          "type": "block-delta",
        },
        {
          "index": 0,
          "text": "来帮你",
          "type": "block-delta",
        },
        {
          "index": 0,
          "text": "查看",
          "type": "block-delta",
        },
        {
          "index": 0,
          "text": "当前目录",
          "type": "block-delta",
        },
        {
          "index": 0,
          "text": "的内容。",
          "type": "block-delta",
        },
        {
          "index": 0,
          "type": "block-end",
        },
        {
          "index": 1,
          "kind": "tool_use",
          "tool": {
            "id": "toolu_015hd7YGNfhhgzrr6K1QymZm",
            "name": "Bash",
          },
          "type": "block-start",
        },
        {
          "index": 1,
          "input_text": "",
          "type": "block-delta",
        },
        {
          "index": 1,
          "input_text": "{"command",
          "type": "block-delta",
        },
        {
          "index": 1,
          "input_text": "":",
          "type": "block-delta",
        },
        {
          "index": 1,
          "input_text": " "ls -la"",
          "type": "block-delta",
        },
        {
          "index": 1,
          "input_text": ", "description"",
          "type": "block-delta",
        },
        {
          "index": 1,
          "input_text": ": "List",
          "type": "block-delta",
        },
        {
          "index": 1,
          "input_text": " files"}",
          "type": "block-delta",
        },
        {
          "index": 1,
          "type": "block-end",
        },
        {
          "cost_usd": 0,
          "finish": "tool_calls",
          "request_id": "req_01XMb3omVTgaV89Gi6yEr72i",
          "stop_reason": "tool_use",
          "type": "end",
          "usage": {
            "cache_read": 0,
            "cache_write": 495,
            "input": 20,
            "output": 36,
            "reasoning": 0,
          },
        },
      ]
    `)
  })

  it('is the same for the same request and differs for another', async () => {
    const request = ask('list the files and read README.md')
    expect(await partsOf(request)).toEqual(await partsOf(structuredClone(request)))
    const ids = (parts: ModelPart[]) =>
      parts.flatMap(part => (part.type === 'block-start' && part.tool ? [part.tool.id] : []))
    const other = ids(await partsOf(ask('list the files and read OTHER.md')))
    expect(ids(await partsOf(request))).not.toEqual(other)
    expect(new Set(other).size).toBe(2)
  })

  it('is legal whatever the user says', async () => {
    const words = fc.constantFrom(
      'list',
      'files',
      'read',
      'a.txt',
      'and',
      'then',
      '天气',
      '沈阳',
      '`ls`',
      '"',
      '/big',
      'run',
      '替换',
      '🚀',
      '*',
      '(',
      'search for',
      'set temperature',
      '1e999',
      '\\',
    )
    const said = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(words, { maxLength: 9 }).map(list => list.join(' ')),
    )
    await fc.assert(
      fc.asyncProperty(said, async text => {
        const parts = await partsOf(ask(text, { tools: [...BUILTIN, ...CLIENT] }))
        expect(faultsOf(parts)).toEqual([])
        expect(parts.at(-1)?.type).toBe('end')
      }),
      { numRuns: 200 },
    )
  })

  it('loses nothing and breaks no character when it cuts', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, seed) => {
        for (const split of [splitProse, splitJson]) {
          const json = JSON.stringify({ key: text, 'ключ\n': [text] })
          for (const whole of [text, json]) {
            const pieces = split(whole, seededNumbers(seed))
            expect(pieces.join('')).toBe(whole)
            expect(pieces.every(piece => piece !== '' && piece.isWellFormed())).toBe(true)
          }
        }
      }),
    )
  })

  it('tears keys and escapes apart', () => {
    const json = toInputText({ content: 'a\nb\\c"d中文🚀'.repeat(40) })
    const cuts = Array.from({ length: 20 }, (_, seed) => splitJson(json, seededNumbers(String(seed))))
    expect(cuts.every(pieces => pieces.some(piece => piece.endsWith('\\')))).toBe(true)
    expect(cuts.some(pieces => /^\{"[a-z]+$/.test(pieces[0] ?? ''))).toBe(true)
  })

  it('opens every input with an empty delta and names ids as the provider does', async () => {
    const parts = await partsOf(ask('list the files and read README.md'))
    for (const part of parts) {
      if (part.type === 'start') expect(part.provider_message_id).toMatch(/^msg_01\w{22}$/)
      if (part.type === 'block-start' && part.tool) {
        expect(part.tool.id).toMatch(/^toolu_01\w{22}$/)
        expect(parts[parts.indexOf(part) + 1]).toEqual({
          type: 'block-delta',
          index: part.index,
          input_text: '',
        })
      }
    }
  })

  it('thinks before it acts when the request asks for thinking, and signs it', async () => {
    const parts = await partsOf(
      ask('list the files', { options: { thinking: { type: 'enabled', budget_tokens: 1024 } } }),
    )
    const kinds = parts.flatMap(part => (part.type === 'block-start' ? [part.kind] : []))
    expect(kinds).toEqual(['thinking', 'text', 'tool_use'])
    const end = parts.findIndex(part => part.type === 'block-end')
    expect(parts[end - 1]).toMatchObject({ index: 0, signature: expect.stringMatching(/^[\w+/=]{100,}$/) })
    expect(parts.at(-1)).toMatchObject({ usage: { reasoning: expect.toSatisfy((n: number) => n > 0) } })
    expect(
      (await read(ask('list the files', { options: { thinking: { type: 'disabled' } } }))).thinking,
    ).toBe('')
  })

  it('reports usage that is never zero and a cache that grows with the history', async () => {
    const usageOf = (parts: ModelPart[]) =>
      parts.flatMap(part => (part.type === 'end' ? [part.usage] : []))[0]
    const first = ask('hello')
    const second = ask('', {
      messages: [
        ...first.messages,
        {
          role: 'assistant',
          message_id: 'm',
          provider: 'demo',
          model: 'demo',
          content: [{ type: 'text', text: 'hi '.repeat(50) }],
        },
        ...ask('list the files').messages,
      ],
    })
    const [before, after] = [usageOf(await partsOf(first)), usageOf(await partsOf(second))]
    expect(before?.input).toBeGreaterThan(0)
    expect(before?.output).toBeGreaterThan(0)
    expect(before?.cache_read).toBe(0)
    expect(after?.cache_read).toBeGreaterThan(before?.cache_write ?? 0)
  })

  it('obeys max_tokens, also inside a call', async () => {
    const short = await partsOf(ask('/long', { max_tokens: 20 }))
    expect(short.at(-1)).toMatchObject({ type: 'end', stop_reason: 'max_tokens', finish: 'length' })
    const cut = await read(ask('/big 4', { max_tokens: 100 }))
    expect(cut.stop_reason).toBe('max_tokens')
    expect(() => JSON.parse(cut.calls[0]?.input_text ?? '')).toThrow()
  })

  it('ends with one interrupted error when it is aborted in the middle', async () => {
    const control = new AbortController()
    const parts: ModelPart[] = []
    for await (const part of createDemoModel({ paceMs: 0 }).stream(ask('/slow 3600'), control.signal)) {
      parts.push(part)
      if (part.type === 'block-start') control.abort()
    }
    expect(parts.at(-1)).toMatchObject({ type: 'error', error: { code: 'interrupted' } })
    expect(parts.map(part => part.type)).toEqual(['start', 'block-start', 'error'])
  })

  it('wakes from a pause when it is aborted during one', async () => {
    const control = new AbortController()
    const types: string[] = []
    for await (const part of createDemoModel({ paceMs: 0 }).stream(ask('/slow 3600'), control.signal)) {
      types.push(part.type)
      // By then the stream sleeps: its next delta is minutes away.
      if (part.type === 'block-start') setImmediate(() => control.abort())
    }
    expect(types).toEqual(['start', 'block-start', 'error'])
  }, 20_000)

  it('says only that it was interrupted when it is aborted before it starts', async () => {
    const parts: ModelPart[] = []
    for await (const part of createDemoModel().stream(ask('hello'), AbortSignal.abort())) parts.push(part)
    expect(parts).toMatchObject([{ type: 'error', error: { code: 'interrupted' } }])
  })

  it('lets other work run while it streams at full speed', async () => {
    let ticks = 0
    const tick = setInterval(() => ticks++, 0)
    await partsOf(ask('/big 400'))
    clearInterval(tick)
    expect(ticks).toBeGreaterThan(0)
  })

  it('leaves the last block open when the plan is interrupted', () => {
    const error = { code: 'model_unavailable', message: 'reset', retryable: true }
    const plan = { blocks: [{ type: 'text', text: 'half' }], stop_reason: 'end_turn', error } as const
    const types = [...planSteps(plan, ask(''), 'demo')].map(step => step.type)
    expect(types).toEqual(['start', 'block-start', 'block-delta', 'error'])
  })
})
