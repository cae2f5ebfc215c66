/** /v1/files with the vendors' own clients, and the bytes that a provider receives for their ids. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toFile as toAnthropicFile } from '@anthropic-ai/sdk'
import { type FakeUpstream, startFakeUpstream } from '@toolwire/demo'
import { openFolderFiles } from '@toolwire/store'
import { toFile } from 'openai'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../gateway/gateway-server.ts'
import { modelsBehind } from '../gateway/models-behind.ts'
import { pngHeader } from './files-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolwire-files-'))
const files = openFolderFiles({ dir: join(folder, 'files') })
const MODELS = { claude: 'anthropic/claude-test', gpt: 'openai/gpt-test' }
let upstream: FakeUpstream
let gateway: Gateway
beforeAll(async () => {
  upstream = await startFakeUpstream()
  const models = modelsBehind(upstream.url)
  gateway = await startGateway({ models, files, config: { checkModel: id => void models(id) } })
})
afterAll(async () => {
  await gateway.close()
  await upstream.close()
  await files.close()
  rmSync(folder, { recursive: true, force: true })
})

const image = (): Buffer => Buffer.concat([pngHeader(10, 10), randomBytes(80_000)])
/** The latest request to a provider, as text. */
const sent = (): string => JSON.stringify(upstream.requests.at(-1)?.body)
const ask = 'What is in it?'

it('takes uploads of the openai client, and sends their bytes for ids in Chat Completions and Responses', async () => {
  const bytes = image()
  const made = await gateway.openai.files.create({
    file: await toFile(bytes, 'photo.png'),
    purpose: 'user_data',
    expires_after: { anchor: 'created_at', seconds: 3_600 },
  })
  expect(made).toMatchObject({
    object: 'file',
    bytes: bytes.length,
    filename: 'photo.png',
    purpose: 'user_data',
  })
  expect((made.expires_at ?? 0) - made.created_at).toBe(3_600)
  for (const model of Object.values(MODELS)) {
    await gateway.openai.chat.completions.create({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: ask },
            { type: 'file', file: { file_id: made.id } },
          ],
        },
      ],
    })
    expect(sent()).toContain(bytes.toString('base64'))
    for (const part of [
      { type: 'input_image', file_id: made.id, detail: 'auto' },
      { type: 'input_file', file_id: made.id },
    ] as const) {
      const content = [{ type: 'input_text' as const, text: ask }, part]
      await gateway.openai.responses.create({ model, input: [{ role: 'user', content }] })
      expect(sent()).toContain(bytes.toString('base64'))
    }
  }
  expect(sent()).not.toContain(made.id)
})

it('takes uploads of the Anthropic client, and sends their bytes for ids in Messages', async () => {
  const pdf = Buffer.from(`%PDF-1.7\n${'text '.repeat(1000)}`)
  const made = await gateway.anthropic.beta.files.upload({
    file: await toAnthropicFile(pdf, 'paper.pdf', { type: 'application/pdf' }),
  })
  expect(made).toMatchObject({
    type: 'file',
    filename: 'paper.pdf',
    mime_type: 'application/pdf',
    size_bytes: pdf.length,
  })
  for (const model of Object.values(MODELS)) {
    await gateway.anthropic.beta.messages.create({
      model,
      max_tokens: 100,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'document', source: { type: 'file', file_id: made.id } },
            { type: 'text', text: ask },
          ],
        },
      ],
    })
    expect(sent()).toContain(pdf.toString('base64'))
    expect(sent()).not.toContain(made.id)
  }
})

it('shows, lists and deletes for both; a file in use stays', async () => {
  const { openai, anthropic } = gateway
  const made = await openai.files.create({
    file: await toFile(Buffer.from('note'), 'note.txt'),
    purpose: 'user_data',
  })
  expect(await openai.files.retrieve(made.id)).toMatchObject({ id: made.id })
  expect(await (await openai.files.content(made.id)).text()).toBe('note')
  expect(await (await anthropic.beta.files.download(made.id)).text()).toBe('note')
  expect(await anthropic.beta.files.retrieveMetadata(made.id)).toMatchObject({
    id: made.id,
    mime_type: 'text/plain',
  })
  const listed: string[][] = [[], []]
  for await (const file of openai.files.list({ limit: 1 })) listed[0]?.push(file.id)
  for await (const file of anthropic.beta.files.list({ limit: 1 })) listed[1]?.push(file.id)
  expect(listed[0]).toContain(made.id)
  expect(new Set(listed[0]).size).toBe(listed[0]?.length)
  expect(listed[1]).toEqual(listed[0])
  expect(await openai.files.delete(made.id)).toEqual({ id: made.id, object: 'file', deleted: true })
  await expect(openai.files.retrieve(made.id)).rejects.toMatchObject({ status: 404 })
  await expect(anthropic.beta.files.retrieveMetadata(made.id)).rejects.toMatchObject({
    status: 404,
    error: { type: 'error', error: { type: 'not_found_error' } },
  })
  const [used = ''] = listed[0]?.filter(id => id !== made.id) ?? []
  await expect(openai.files.delete(used)).rejects.toMatchObject({ status: 409 })
})

it('rejects ids that are not of this server in the words of the API', async () => {
  const { openai, anthropic } = gateway
  const gone = `file_${'0'.repeat(32)}`
  for (const [id, status] of [
    [gone, 404],
    ['file-abc', 400],
  ] as const) {
    const content = [
      { type: 'text' as const, text: ask },
      { type: 'file' as const, file: { file_id: id } },
    ]
    await expect(
      openai.chat.completions.create({ model: MODELS.gpt, messages: [{ role: 'user', content }] }),
    ).rejects.toMatchObject({ status })
    await expect(
      openai.responses.create({
        model: MODELS.gpt,
        input: [{ role: 'user', content: [{ type: 'input_file', file_id: id }] }],
      }),
    ).rejects.toMatchObject({ status })
    await expect(
      anthropic.beta.messages.create({
        model: MODELS.claude,
        max_tokens: 100,
        messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: id } }] }],
      }),
    ).rejects.toMatchObject({ status })
  }
})
