import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { caseNames, shownBy } from './read-case.ts'

interface Block {
  readonly info: string
  readonly text: string
}

function blocksOf(file: string): readonly Block[] {
  const doc = readFileSync(new URL(`../../../../docs/${file}`, import.meta.url), 'utf8')
  return [...doc.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, info, text]) => ({
    info: info ?? '',
    text: text ?? '',
  }))
}

describe.each(['streaming-api.md', 'session-ids.md'])('docs/%s', file => {
  const blocks = blocksOf(file)

  it('shows only frames that the projection sends, field by field in their order', () => {
    const frames = blocks.filter(block => block.info.startsWith('json frame '))
    expect(frames.length).toBeGreaterThan(0)
    for (const { info, text } of frames) {
      const sent = shownBy(info.slice('json frame '.length)).map(frame => JSON.stringify(frame))
      expect(sent).toContain(JSON.stringify(JSON.parse(text)))
    }
  })

  it('shows whole streams as they are sent, but for stream_event frames', () => {
    for (const { info, text } of blocks.filter(block => block.info.startsWith('text stream '))) {
      const told = [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data)
      const sent = shownBy(info.slice('text stream '.length)).filter(frame => frame.type !== 'stream_event')
      expect(told).toEqual(sent.map(frame => JSON.stringify(frame)))
    }
  })

  it('holds only valid JSON', () => {
    for (const { text } of blocks.filter(block => block.info.startsWith('json')))
      expect(() => JSON.parse(text)).not.toThrow()
  })
})

describe('docs/streaming-api.md', () => {
  it('names every type of frame that the cases show', () => {
    const doc = readFileSync(new URL('../../../../docs/streaming-api.md', import.meta.url), 'utf8')
    for (const type of new Set(caseNames().flatMap(name => shownBy(name).map(frame => frame.type))))
      expect(doc).toContain(`"type": "${type}"`)
  })
})
