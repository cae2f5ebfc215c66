/** Ids of files in the requests of AI SDK and AG-UI pages, and what these pages get back. */
import { randomBytes } from 'node:crypto'
import type { ContentPart } from '@toolwire/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type FilesServer, pngHeader, startFilesServer } from './files-server.ts'

let server: FilesServer
let asked: readonly ContentPart[]
beforeEach(async () => {
  asked = []
  const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, reasoning: 0 }
  server = await startFilesServer(
    {},
    {
      model: {
        provider: 'scripted',
        id: 'demo',
        async *stream({ messages }) {
          asked = messages.flatMap(message => (message.role === 'user' ? message.content : []))
          yield { type: 'start', provider_message_id: 'p', model: 'demo' }
          yield { type: 'end', stop_reason: 'end_turn', finish: 'stop', usage }
        },
      },
    },
  )
})
afterEach(() => server.close())

const bytes = Buffer.concat([pngHeader(10, 10), randomBytes(80_000)])
const image = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') },
  title: 'photo.png',
}

async function post(path: string, body: object): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  await server.settled()
  return { status: response.status, text }
}

it('an AI SDK page names a file by its address, and gets that address back instead of its bytes', async () => {
  const { id } = (await server.upload(bytes, 'photo.png')).body
  const send = (url: string, chat: string) => {
    const parts = [
      { type: 'file', mediaType: 'image/png', url },
      { type: 'text', text: 'look' },
    ]
    return post('/api/chat', {
      id: chat,
      trigger: 'submit-message',
      messages: [{ id: `m-${chat}`, role: 'user', parts }],
    })
  }
  for (const [n, url] of [
    `/api/files/${id}/content`,
    `${server.url}/api/files/${id}/content?disposition=inline`,
    `data:image/png;base64,${bytes.toString('base64')}`,
  ].entries()) {
    expect((await send(url, `chat-${n}`)).status).toBe(200)
    expect(asked[0]).toMatchObject({ type: 'image', source: image.source })
    const { body } = await server.json('GET', `/api/chat/chat-${n}/messages`)
    const text = JSON.stringify(body)
    expect(text).toMatch(/"url":"\/api\/files\/file_[0-9a-f]{32}\/content\?disposition=inline"/)
    expect(text.length).toBeLessThan(5_000)
  }
  expect((await send(`/api/files/file_${'0'.repeat(32)}/content`, 'other')).status).toBe(404)
  expect((await send('/api/files/../keys/content', 'other')).status).toBe(400)
})

it('an AG-UI page names a file by its id', async () => {
  const { id } = (await server.upload(bytes, 'photo.png')).body
  const run = (value: string) =>
    post('/ag-ui', {
      ...{
        threadId: `t-${value.length}`,
        runId: `r-${value.length}`,
        tools: [],
        context: [],
        state: {},
        forwardedProps: {},
      },
      messages: [
        {
          id: 'm1',
          role: 'user',
          content: [
            { type: 'image', source: { type: 'file', value, provider: 'toolwire' } },
            { type: 'text', text: 'look' },
          ],
        },
      ],
    })
  expect((await run(id)).status).toBe(200)
  expect(asked[0]).toEqual(image)
  expect((await run('file_unknown1')).status).toBe(404)
  expect((await run('another')).status).toBe(400)
})
