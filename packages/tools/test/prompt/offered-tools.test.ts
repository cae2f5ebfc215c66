/** The tools as a model is offered them: reviewed text, bounded size, and every field explained. */
import { join } from 'node:path'
import { evolve, initial, type SessionState, type ToolSpec } from '@toolwire/core'
import { expect, test } from 'vitest'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import { createRegistry } from '../../src/registry.ts'

const MAX_CHARACTERS = 14_500
/** As a server without settings has them. */
const BASE = createBuiltinTools({ hides_think: () => true, bash: { sandbox: { escape: true } } })
const ALL = createBuiltinTools({
  web_search: { searxng: { url: 'http://127.0.0.1:1' }, aliases: ['tavily_search'] },
  memory: { folder: '/nowhere', commands: true },
})

function offered(model: string, tools = BASE, names = ['*']): readonly ToolSpec[] {
  const created = {
    type: 'session.created',
    ts: '',
    cwd: '/work',
    model,
    tools: names,
    permission_mode: 'default',
  } as const
  const state: SessionState = evolve(initial(), { seq: 1, epoch: 0, ev: created })
  return createRegistry(() => tools).specs({ session_id: 's', session: () => state, agent: () => state })
}

const namesOf = (specs: readonly ToolSpec[]): readonly string[] => specs.map(spec => spec.name)
const sizeOf = (spec: ToolSpec): number => JSON.stringify(spec).length

interface JsonSchema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
}

/** Fields of a schema and of the objects within it, by their path. */
function fieldsOf(schema: JsonSchema, at = ''): readonly (readonly [string, JsonSchema])[] {
  const inside = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    [`${at}${name}`, field] as const,
    ...fieldsOf(field, `${at}${name}.`),
  ])
  return schema.items ? [...inside, ...fieldsOf(schema.items, at)] : inside
}

function describeTool(spec: ToolSpec): string {
  const fields = fieldsOf(spec.input_schema as JsonSchema)
  const rows = fields.map(([name, field]) => `- ${name}: ${JSON.stringify(withoutFields(field))}`)
  return [`# ${spec.name}: ${sizeOf(spec)} characters`, spec.description, ...rows].join('\n')
}

function withoutFields({ properties: _, items: __, ...rest }: JsonSchema): object {
  return rest
}

test('the tools of a new session are the reviewed ones, within their size', async () => {
  const specs = offered('claude-sonnet-5')
  expect(specs).toHaveLength(15)
  expect(specs.reduce((sum, spec) => sum + sizeOf(spec), 0)).toBeLessThanOrEqual(MAX_CHARACTERS)
  const text = specs.map(describeTool).join('\n\n')
  await expect(`${text}\n`).toMatchFileSnapshot(join(import.meta.dirname, 'golden', 'tools.txt'))
})

test('the tools of a server with everything switched on are the reviewed ones', async () => {
  const known = new Set(namesOf(offered('claude-sonnet-5')))
  const specs = offered('claude-sonnet-5', ALL).filter(spec => !known.has(spec.name))
  const text = specs.map(describeTool).join('\n\n')
  await expect(`${text}\n`).toMatchFileSnapshot(join(import.meta.dirname, 'golden', 'more-tools.txt'))
})

test('every field that a model is offered has words, and none has the largest integer as its limit', () => {
  for (const model of ['claude-sonnet-5', 'gpt-5.2'])
    for (const spec of offered(model, ALL)) {
      const silent = fieldsOf(spec.input_schema as JsonSchema).filter(([, field]) => !field.description)
      expect(
        silent.map(([name]) => `${spec.name}.${name}`),
        spec.name,
      ).toEqual([])
      expect(JSON.stringify(spec)).not.toContain(String(Number.MAX_SAFE_INTEGER))
    }
})

test('two tools that do the same are never offered together, and both can be called', () => {
  const claude = namesOf(offered('claude-sonnet-5', ALL))
  expect(claude).toContain('WebSearch')
  expect(claude).toContain('memory')
  for (const name of ['tavily_search', 'NotebookRead', 'Clock', 'MemoryRead', 'MemoryWrite'])
    expect(claude).not.toContain(name)
  const gpt = namesOf(offered('gpt-5.2', ALL))
  expect(gpt).toContain('MemoryWrite')
  expect(gpt).not.toContain('memory')
  expect(namesOf(offered('gpt-5.2', ALL, ['tavily_search', 'Clock']))).toEqual(['tavily_search', 'Clock'])
})

test('fields that are accepted and not offered still fit', () => {
  const byName = new Map(createBuiltinTools().map(tool => [tool.name, tool]))
  const accepted = {
    Grep: { pattern: 'x', context: 2 },
    Agent: { prompt: 'x', team_name: 't', mode: 'plan' },
    Bash: { command: 'ls', dangerouslyDisableSandbox: true },
  }
  const offeredText = JSON.stringify(offered('claude-sonnet-5', ALL))
  for (const [name, input] of Object.entries(accepted))
    expect(byName.get(name)?.check(input), name).toMatchObject({ ok: true })
  for (const field of ['"context":', '"team_name"', '"mode":', '"dangerouslyDisableSandbox"'])
    expect(offeredText).not.toContain(field)
})

test('a limit that a tool documents is in its description or in its fields', () => {
  const text = new Map(offered('gpt-5.2', ALL).map(spec => [spec.name, JSON.stringify(spec)]))
  const limits = {
    Bash: ['120000', '600000', '7200000', '30000'],
    Glob: ['100'],
    Grep: ['250', '500'],
    LS: ['1000'],
    Read: ['2000', '100000', '20'],
    Edit: ['16 MiB'],
    WebFetch: ['10 MiB', '30000'],
    WebSearch: ['5 results'],
    TaskOutput: ['30000', '600000'],
    Agent: ['50 turns', 'start 30'],
  }
  for (const [name, values] of Object.entries(limits))
    for (const value of values) expect(text.get(name), `${name}: ${value}`).toContain(value)
})
