import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startThreadServer, type ThreadServer } from './thread-server.ts'
import { readTranscripts, replay } from './transcript.ts'

const script = {
  'How is the weather in Taipei?': [
    { text: 'Let me look.', calls: [['get_weather', { city: 'Taipei' }]] },
    { text: 'It is 25 degrees.' },
  ],
  'And in Atlantis?': [
    { calls: [['get_weather', { city: 'Atlantis' }]] },
    { text: 'I cannot find that city.' },
  ],
  'Set the temperature to 0.8': [
    { text: 'Sure.', calls: [['set_temperature', { value: 0.8 }]] },
    { text: 'It is 0.8 now.' },
  ],
  'Set both': [
    {
      calls: [
        ['set_temperature', { value: 1 }],
        ['set_model', { model: 'big' }],
      ],
    },
    { text: 'Both are set.' },
  ],
  'Paint it': [{ calls: [['ask_colour', {}]] }, { text: 'Blue it is.' }],
  'Write a note': [{ calls: [['write_note', { text: 'hi' }]] }, { text: 'All right.' }],
  Hello: [{ text: 'Hello you.' }],
} as const

const page = readFileSync(new URL('../../../../docs/thread-protocol.md', import.meta.url), 'utf8')
const transcripts = readTranscripts(page)

let server: ThreadServer
beforeAll(async () => {
  server = await startThreadServer({ script })
})
afterAll(() => server.close())

describe('docs/thread-protocol.md', () => {
  it('has a transcript for each flow', () => {
    expect(transcripts.map(transcript => transcript.name)).toEqual([
      'server-tool',
      'failed-tool',
      'client-tool',
      'several-client-tools',
      'approval',
      'denial',
      'question',
      'event-source',
      'not-streamed',
      'refusals',
    ])
  })

  it.each(transcripts)('$name happens as it is written', async transcript => {
    expect(await replay(server.url, transcript)).toEqual(transcript.lines)
  })
})
