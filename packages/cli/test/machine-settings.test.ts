/** Which tools the settings of this machine switch on and off, without a server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBuiltinTools } from '@toolwire/tools'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { composeMachine } from '../src/compose-machine.ts'
import { readConfig } from '../src/config.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'toolwire-settings-'))
})
afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

/** The names of the tools that a session with this model is offered. */
function offered(env: Readonly<Record<string, string>>, model = 'demo'): readonly string[] {
  const machine = composeMachine(readConfig({ flags: { data: dir }, env, cwd: dir }), {})
  machine.close()
  const setting = { cwd: dir, permission_mode: 'default', model }
  return createBuiltinTools(machine.options)
    .filter(tool => tool.isEnabled?.(setting) ?? true)
    .map(tool => tool.name)
}

test('rules may be for one kind of agent and for a time, and no kind may take the name of the session’s own', () => {
  const path = join(dir, 'toolwire.config.json')
  const read = (settings: object) => {
    writeFileSync(path, JSON.stringify(settings))
    return readConfig({ flags: { config: path }, env: {}, cwd: dir })
  }
  const rule = { rule: '@explore Bash(npm test:*)', expires_at: '2030-01-01T00:00:00Z' }
  expect(read({ permissions: { allow: ['@main Bash', rule] } }).permissions?.allow).toEqual([
    '@main Bash',
    rule,
  ])
  const type = { description: 'd', system: 's' }
  expect(Object.keys(read({ agents: { types: { mine: type } } }).agents.types ?? {})).toEqual(['mine'])
  expect(() => read({ agents: { types: { main: type } } })).toThrow(/agents must not hold main/)
})

describe('notes', () => {
  const memory = (value?: string): readonly string[] =>
    offered(value === undefined ? {} : { TOOLWIRE_MEMORY: value }).filter(name => /memory/i.test(name))

  test('are offered only where the settings say so, with the commands of Anthropic where they ask for them', () => {
    expect(memory()).toEqual([])
    expect(memory('false')).toEqual([])
    expect(memory('true')).toEqual(['MemoryRead', 'MemoryWrite'])
    expect(memory('commands')).toEqual(['MemoryRead', 'MemoryWrite', 'memory'])
    expect(() => memory('perhaps')).toThrow('must be true, false or commands')
  })
})

test('StickerRequest is offered only where the settings say so', () => {
  const hasForm = (env: Readonly<Record<string, string>>): boolean => offered(env).includes('StickerRequest')
  expect(hasForm({})).toBe(false)
  expect(hasForm({ TOOLWIRE_STICKER_REQUEST: 'true' })).toBe(true)
  expect(() => hasForm({ TOOLWIRE_STICKER_REQUEST: 'maybe' })).toThrow('must be true or false')
})

describe('Think', () => {
  const thinks = (setting: string | undefined, model: string): boolean =>
    offered(setting === undefined ? {} : { TOOLWIRE_THINK_TOOL: setting }, model).includes('Think')

  test('is left out for models that think by themselves, however their id is written', () => {
    expect(thinks(undefined, 'demo')).toBe(true)
    for (const model of ['claude-opus-4-5', 'anthropic/claude-opus-4-5', 'claude-opus-4-5-20251101'])
      expect(thinks(undefined, model)).toBe(false)
    expect(thinks(undefined, 'openai/somebody-elses-model')).toBe(true)
  })

  test('is always or never offered where the settings say so', () => {
    expect(thinks('always', 'claude-opus-4-5')).toBe(true)
    expect(thinks('never', 'demo')).toBe(false)
  })
})
