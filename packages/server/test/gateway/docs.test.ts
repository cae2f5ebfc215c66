/** The examples in docs/gateway.md, run verbatim against a real server with the demo model. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Tool } from '@toolwire/core'
import { createDemoModel } from '@toolwire/demo'
import { defineTool } from '@toolwire/tools'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Gateway, startGateway } from './gateway-server.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const run = promisify(execFile)

const clock = defineTool({
  name: 'Clock',
  description: 'Tells the current date and time.',
  input: z.object({ timezone: z.string().optional() }),
  isReadOnly: () => true,
  async *call() {
    yield { type: 'result', output_text: '2026-01-02T03:04:05Z' }
  },
}) as Tool

let gateway: Gateway
beforeAll(async () => {
  const demo = createDemoModel({ paceMs: 0 })
  gateway = await startGateway({ models: () => demo, tools: [clock] })
})
afterAll(() => gateway.close())

async function examples(language: string): Promise<readonly string[]> {
  const text = await readFile(`${ROOT}docs/gateway.md`, 'utf8')
  return [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)].flatMap(([, found, code]) =>
    found === language && code !== undefined ? [code.replaceAll('http://127.0.0.1:8000', gateway.url)] : [],
  )
}

/** The request that a curl command would send. */
async function curl(command: string): Promise<Response> {
  const url = /curl (\S+)/.exec(command)?.[1] ?? ''
  const headers = [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name, value])
  const body = /-d '([^']+)'/.exec(command)?.[1] ?? ''
  return await fetch(url, { method: 'POST', headers: headers as [string, string][], body })
}

test('the curl examples are answered', async () => {
  const commands = await examples('sh')
  expect(commands).toHaveLength(3)
  const answers: string[] = []
  for (const command of commands) {
    const response = await curl(command)
    expect(response.status).toBe(200)
    const body = await response.json()
    answers.push(body.choices?.[0].message.content ?? body.content[0].text)
  }
  for (const answer of answers) expect(answer.length).toBeGreaterThan(0)
  expect(answers[2]).toContain('2026-01-02')
})

test('the client examples print what their tools found', async () => {
  const programs = await examples('js')
  expect(programs).toHaveLength(5)
  for (const program of programs) {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT })
    expect(stdout).toContain('sunny in Paris')
  }
})
