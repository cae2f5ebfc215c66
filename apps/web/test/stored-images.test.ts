/** An image that is stored as a file, on a server that needs a key: an address in the page could not carry it. */
import { randomBytes } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { setUpProduct } from './product.ts'

const KEY = 'a-key-of-the-operator'
const { open, product } = setUpProduct({ env: { TOOLWIRE_API_KEYS: KEY } })

/** A valid image of noise, which no compression makes small. */
function noisyPng(side: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 2], 8)
  const rows = Array.from({ length: side }, () => Buffer.concat([Buffer.alloc(1), randomBytes(side * 3)]))
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

test('is drawn with the credential of the page', async () => {
  const { url } = product()
  const post = async (path: string, body: object): Promise<Response> =>
    await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const { id } = (await (await post('/api/sessions', {})).json()) as { id: string }
  const source = { type: 'base64', media_type: 'image/png', data: noisyPng(200).toString('base64') }
  const sent = await post('/api/chat/stream', {
    session_id: id,
    message: [
      { type: 'text', text: 'look' },
      { type: 'image', source },
    ],
  })
  expect(sent.status).toBe(200)
  await sent.text()
  const { page, problems } = await open('/settings')
  await page.evaluate(key => {
    localStorage.setItem('toolwire.preferences', JSON.stringify({ apiKey: key }))
  }, KEY)
  await page.goto(`${url}/sessions/${id}`)
  const image = page.locator('img[data-tw-part="image"]')
  await image.waitFor()
  expect(await image.getAttribute('src')).toMatch(/^blob:/)
  await expect.poll(() => image.evaluate(shown => (shown as HTMLImageElement).naturalWidth)).toBe(200)
  const refused = problems.filter(problem => /file_|blob/.test(problem))
  expect(refused).toEqual([])
  await page.context().close()
})
