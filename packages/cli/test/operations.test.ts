/** The operator's view of the real command: health, metrics, log lines, spans, the description of its API. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import parsePrometheus from 'parse-prometheus-text-format'
import { expect, test } from 'vitest'
import { inFolder, launch } from './launch.ts'

test('health, readiness, metrics and the description of the API are there from the start', async () => {
  await inFolder(async dir => {
    const server = await launch(dir)
    const get = async (path: string): Promise<Response> => await fetch(server.url + path)
    for (const path of ['/healthz', '/health', '/readyz']) expect((await get(path)).status).toBe(200)
    const families = parsePrometheus(await (await get('/metrics')).text()) as readonly { name: string }[]
    expect(families.map(({ name }) => name)).toContain('toolwire_streams_open')
    const document = (await (await get('/openapi.json')).json()) as { openapi: string; paths: object }
    expect(document.openapi).toMatch(/^3\.1/)
    expect(Object.keys(document.paths).length).toBeGreaterThan(30)
    const page = await (await get('/reference')).text()
    expect(page).toContain('/api/chat/stream')
    expect(page).not.toMatch(/(?:src|href)="https?:/)
    await server.stop()
  })
})

test('log lines are JSON, with the request, the session and the place in its log, and without a word that was said', async () => {
  await inFolder(async dir => {
    const server = await launch(dir, ['--port', '0'], { TOOLWIRE_LOG: 'info' })
    const post = async (path: string, body: object): Promise<string> => {
      const headers = { 'content-type': 'application/json' }
      return await (
        await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      ).text()
    }
    const { id } = JSON.parse(await post('/api/sessions', {})) as { readonly id: string }
    await post('/api/chat/stream?secret=query', { session_id: id, message: 'a secret word' })
    const { stderr, code } = await server.stop()
    expect(code).toBe(0)
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>)
    for (const line of lines)
      expect(line).toMatchObject({
        ts: expect.stringMatching(/^\d{4}-/),
        level: 'info',
        message: expect.any(String),
      })
    const chat = lines.find(line => line['path'] === '/api/chat/stream')
    expect(chat).toMatchObject({ request_id: expect.stringMatching(/\S/), session: id, status: 200 })
    const seqs = ['run.started', 'run.completed'].map(message => {
      const line = lines.find(one => one['message'] === message)
      expect(line).toMatchObject({ session: id, run: expect.stringMatching(/\S/) })
      return Number(line?.['seq'])
    })
    expect(seqs[0]).toBeGreaterThan(0)
    expect(seqs[1]).toBeGreaterThan(seqs[0] ?? 0)
    expect(stderr).not.toContain('secret')
  })
})

test('without being asked it logs nothing but errors', async () => {
  await inFolder(async dir => {
    const server = await launch(dir)
    await fetch(`${server.url}/api/sessions`, { method: 'POST' })
    expect(await server.stop()).toMatchObject({ code: 0, stderr: '' })
  })
})

test('an SDK of OpenTelemetry that is registered before the start gets the spans of runs, with content only when asked for', async () => {
  await inFolder(async dir => {
    const [api, sdk] = ['@opentelemetry/api', '@opentelemetry/sdk-trace-base'].map(name =>
      JSON.stringify(import.meta.resolve(name)),
    )
    writeFileSync(
      join(dir, 'tracing.mjs'),
      `import { appendFileSync } from 'node:fs'
       import { isMainThread } from 'node:worker_threads'
       import { trace } from ${api}
       import { BasicTracerProvider, SimpleSpanProcessor } from ${sdk}
       const exporter = {
         export(spans, done) {
           for (const { name, attributes } of spans)
             appendFileSync(process.env.SPANS, JSON.stringify({ name, attributes }) + '\\n')
           done({ code: 0 })
         },
         shutdown: async () => {},
       }
       if (isMainThread)
         trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))`,
    )
    for (const content of ['false', 'true']) {
      const file = join(dir, `spans-${content}`)
      const server = await launch(dir, ['--port', '0'], {
        NODE_OPTIONS: `--import=${join(dir, 'tracing.mjs')}`,
        SPANS: file,
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: content,
      })
      const post = async (path: string, body: object): Promise<string> =>
        await (
          await fetch(server.url + path, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          })
        ).text()
      const { id } = JSON.parse(await post('/api/sessions', {})) as { readonly id: string }
      await post('/api/chat/stream', { session_id: id, message: 'hello' })
      await server.stop()
      const text = readFileSync(file, 'utf8')
      const names = text
        .trimEnd()
        .split('\n')
        .map(line => (JSON.parse(line) as { name: string }).name)
      expect(names).toEqual(expect.arrayContaining(['chat demo', 'invoke_agent toolwire']))
      expect(text.includes('gen_ai.output.messages')).toBe(content === 'true')
    }
  })
})
