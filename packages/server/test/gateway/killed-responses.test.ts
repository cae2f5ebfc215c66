/** kill -9 between a Responses request and its answer, then the same request again, as its clients repeat it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { countRuns, type KillPoint, openSpawnedGateway, type SpawnedGateway } from './spawn-gateway.ts'

let gateway: SpawnedGateway
beforeEach(async () => {
  gateway = await openSpawnedGateway()
})
afterEach(() => gateway.close())

/** What marks the request number `n`. */
const MARKS: Readonly<Record<string, (n: number) => { readonly headers?: object; readonly body?: object }>> =
  {
    'the turn of codex': n => ({ body: { client_metadata: { turn_id: 'turn', attempt: n } } }),
    'an Idempotency-Key': () => ({ headers: { 'idempotency-key': 'key' } }),
    'a retry count': n => ({ headers: { 'x-stainless-retry-count': String(n) } }),
  }

const send = (url: string, mark: string, n: number, body: object): Promise<Response> => {
  const { headers, body: more } = MARKS[mark]?.(n) ?? {}
  return fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'demo', ...body, ...more }),
  })
}

interface Whole {
  readonly id: string
  readonly status: string
  readonly output: readonly { readonly content?: readonly { readonly text: string }[] }[]
}

describe.each(Object.keys(MARKS))('a request repeated by %s', mark => {
  test.each<KillPoint>(['planned', 'begun'])('after a kill where it is %s has one run', async point => {
    const first = await gateway.start(point)
    await expect(send(first, mark, 0, { input: 'say hello' })).rejects.toThrow()
    await gateway.died()
    const url = await gateway.start('never')
    const bodies: Whole[] = []
    for (const n of [1, 2, 3])
      bodies.push((await (await send(url, mark, n, { input: 'say hello' })).json()) as Whole)
    expect(bodies[0]).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'hello' }] }] })
    expect(bodies.slice(1)).toEqual([bodies[0], bodies[0]])
    expect(await countRuns(url)).toEqual([1])
  })

  test('after a kill in the middle of its stream gets the whole response of the same run', async () => {
    const body = { input: 'slow hello', stream: true }
    const first = await gateway.start('half')
    await expect(send(first, mark, 0, body).then(response => response.text())).rejects.toThrow()
    await gateway.died()
    const url = await gateway.start('never')
    let text = ''
    // A client that repeats its requests is cut off where its message is begun again.
    for (let n = 1; !text.includes('event: response.completed'); n++)
      text = await send(url, mark, n, body)
        .then(response => response.text())
        .catch(() => '')
    const last = /event: response\.completed\ndata: (.*)/.exec(text)?.[1] ?? ''
    const { output } = (JSON.parse(last) as { response: Whole }).response
    expect(output.flatMap(({ content = [] }) => content.map(part => part.text)).join('')).toBe('half hello')
    expect(await countRuns(url)).toEqual([1])
  })
})
