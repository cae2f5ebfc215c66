/**
 * The client in every runtime that is here: Node always, Bun where `bun` is on the PATH or BUN_PATH names it.
 * Browsers are covered by the tests of the web app and of the examples.
 */
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { realServer } from './real-server.ts'

const PROGRAM = fileURLToPath(new URL('every-runtime.ts', import.meta.url))
const bun = process.env['BUN_PATH'] ?? 'bun'
const runtimes = [
  { name: 'Node', command: process.execPath },
  ...(spawnSync(bun, ['--version']).status === 0 ? [{ name: 'Bun', command: bun }] : []),
]

const url = realServer()

it.each(runtimes)('a conversation with a client tool and an approval works in $name', async ({ command }) => {
  const child = spawn(command, ['--conditions=toolwire-source', PROGRAM, url()], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    out += text
  })
  const code = await new Promise(resolve => child.on('close', resolve))
  expect(code).toBe(0)
  expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toEqual({
    inputs: [{ value: 0.8 }],
    calls: ['success', 'success'],
    whole: true,
  })
})
