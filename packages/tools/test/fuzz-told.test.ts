/** What hooks, MCP servers, models and people's rules say, with random wounds: a value or a plain refusal, in bounded time. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { ToolNotes } from '@toolwire/core'
import { parseMcpServers } from '@toolwire/mcp'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { bombed } from '../../core/test/bombs.ts'
import { fuzzing, mutatedBytes, mutatedJson, mutatedText } from '../../core/test/mutate.ts'
import { parseElicitation, toQuestion } from '../../mcp/src/elicitation.ts'
import { createLineReader } from '../../mcp/src/line-reader.ts'
import { createServerPages, type ToolPlace } from '../../mcp/src/server-pages.ts'
import { loadSuspended } from '../../mcp/src/suspended-call.ts'
import { toOutcome } from '../../mcp/src/tool-result.ts'
import { uiOf } from '../../mcp/src/tool-ui.ts'
import { createSchemaCheck } from '../src/checks/json-schema.ts'
import { parseArguments } from '../src/checks/parse-arguments.ts'
import { defineTool } from '../src/define-tool.ts'
import { parseHooks } from '../src/hooks/hook-config.ts'
import { AfterAnswer, BeforeAnswer, type HookEvent } from '../src/hooks/hook-event.ts'
import { runHook } from '../src/hooks/run-hook.ts'
import { createProjectRules, settingsPath } from '../src/permissions/project-rules.ts'
import { loadRules, matchesAgent, matchesSubject, matchesTool, parseRule } from '../src/permissions/rules.ts'
import { judgeCommand } from '../src/permissions/shell/judge-command.ts'
import { readFormAnswer } from '../src/questions/form-answer.ts'

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 9 }, days: { type: 'array', items: { type: 'integer' } } },
  required: ['city'],
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolwire-fuzz-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('what a hook says', () => {
  const event: HookEvent = {
    event: 'before_tool',
    session_id: 's',
    call_id: 'c',
    tool: 'Bash',
    input: {},
    cwd: tmpdir(),
    permission_mode: 'default',
  }
  const said = mutatedJson([
    { decision: 'deny', reason: 'no', context: 'x' },
    { decision: 'allow', input: { command: 'ls' } },
    { output: 'x', is_error: true },
  ])

  test.for([BeforeAnswer, AfterAnswer])('is an answer or a problem with words', async schema => {
    const module = join(folder, `hook-${Math.random()}.mjs`)
    await writeFile(module, 'export const hook = () => globalThis.__toolwireFuzzAnswer\n')
    const [hook] = parseHooks({ before_tool: [{ module }] }).before_tool
    if (!hook) throw new Error('no hook')
    await fc.assert(
      fc.asyncProperty(said, async value => {
        Reflect.set(globalThis, '__toolwireFuzzAnswer', value)
        const told = await runHook(hook, event, schema, new AbortController().signal)
        if (!told.ok) expect(told.problem).not.toBe('')
      }),
      fuzzing(200),
    )
    Reflect.deleteProperty(globalThis, '__toolwireFuzzAnswer')
  })

  test('as a command, in any bytes, is an answer or a problem with words', async () => {
    const texts = mutatedText(['{"decision":"deny","reason":"no"}', ''])
    const [hook] = parseHooks({ before_tool: [{ command: `cat ${join(folder, 'said')}` }] }).before_tool
    if (!hook) throw new Error('no hook')
    await fc.assert(
      fc.asyncProperty(texts, async text => {
        await writeFile(join(folder, 'said'), text)
        const told = await runHook(hook, event, BeforeAnswer, new AbortController().signal)
        if (!told.ok) expect(told.problem).not.toBe('')
      }),
      fuzzing(15),
    )
  })

  test('of the configuration is read, or refused as hooks', () => {
    const config = { before_tool: [{ matcher: 'Bash|mcp__*', command: 'x', timeout_ms: 10 }], after_tool: [] }
    fc.assert(
      fc.property(mutatedJson([config]), value => {
        try {
          parseHooks(value)
        } catch (error) {
          expect((error as Error).message).toMatch(/^hooks: /)
        }
      }),
      fuzzing(400),
    )
  })
})

describe('permission rules', () => {
  const RULES = [
    'Bash(npm run:*)',
    'Read(~/src/**/*.{ts,js})',
    'Edit(//etc/*)',
    'WebFetch(domain:*.a.org)',
    'mcp__a__*',
    '@explore Bash(npm run:*)',
  ]
  const subjects = [
    { type: 'command', command: 'npm run build && rm -rf /' },
    { type: 'path', path: '/home/x/src/a/b.ts', write: true },
    { type: 'url', url: 'https://x.a.org/y', read_only: true },
    { type: 'tool', read_only: false },
  ] as const
  const looks = { workspaces: ['/w'], realPath: (path: string) => path, ignoresCase: () => true }

  test('are read or refused, and what is read can be asked about anything', () => {
    fc.assert(
      fc.property(mutatedText(RULES), text => {
        let rule: ReturnType<typeof parseRule>
        try {
          rule = parseRule(text, 'allow', 'config')
        } catch (error) {
          expect((error as Error).message).toMatch(/^Not a permission rule/)
          return
        }
        for (const tool of ['Bash', 'Grep', 'constructor', '__proto__', rule.tool]) matchesTool(rule, tool)
        // Damage never turns a rule for one agent type into one for another, nor for an unknown one.
        for (const agent of ['main', 'explore', 'constructor', undefined])
          expect(matchesAgent(rule, agent)).toBe(rule.agent === undefined || rule.agent === agent)
        for (const subject of subjects)
          for (const decision of ['allow', 'deny'] as const)
            matchesSubject({ ...rule, decision }, subject, looks)
      }),
      fuzzing(1000),
    )
  })

  test.for(['constructor(x)', '__proto__(x)', 'toString(x)'])(
    'named like %s are about that tool alone',
    text => {
      const rule = parseRule(text, 'deny', 'config')
      expect([matchesTool(rule, rule.tool), matchesTool(rule, 'Bash')]).toEqual([true, false])
    },
  )

  test('with examples are loaded, or refused with the rule', () => {
    const set = { allow: ['Bash(ls:*)', { rule: 'Bash(npm *)', match: ['npm i'], not_match: ['yarn'] }] }
    const entries = mutatedJson([set.allow[1]])
    fc.assert(
      fc.property(entries, mutatedText(RULES), (entry, text) => {
        if (typeof entry !== 'object' || entry === null || !('match' in entry)) return
        const { match } = entry
        if (!Array.isArray(match) || !match.every(one => typeof one === 'string')) return
        try {
          loadRules({ deny: [{ rule: text, match: match as string[] }] }, 'config', '/w')
        } catch (error) {
          expect((error as Error).message).toMatch(/^(Not a permission rule|Rule )/)
        }
      }),
      fuzzing(300),
    )
  })

  test('of a project, however its file is damaged, never allow and never throw', async () => {
    const rules = createProjectRules(join(folder, 'trusted.json'))
    await rules.set(folder, { rule: 'Bash(ls)', decision: 'allow' })
    const honest =
      '{"permissions":{"allow":["Bash(rm:*)"],"deny":["Bash(ls)",{"rule":"Read(x)","match":["x"]}]}}'
    await fc.assert(
      fc.asyncProperty(mutatedText([honest]), async text => {
        await writeFile(settingsPath(folder), text)
        const allowed = (await rules.of(folder)).filter(rule => rule.decision === 'allow')
        expect(allowed.filter(rule => rule.text !== 'Bash(ls)')).toEqual([])
      }),
      fuzzing(60),
    )
  })

  test('judge any command line', () => {
    const LINES = [
      'ls -la | grep x > /tmp/y && (cd /; git -C a log) 2>&1',
      'for f in $(ls); do echo "$f"; done; cat <<EOF\nx\nEOF',
      'sudo env A=1 timeout 5 xargs -n1 bash -c \'rm "$1"\' _ < x',
      'find . -name "*.ts" -exec sed -n 1p {} \\;',
    ]
    const around = {
      cwd: '/w',
      home: '/h',
      isInside: (path: string) => path.startsWith('/w'),
      realPath: (path: string) => path,
      entries: () => [],
      repository: 'own' as const,
    }
    fc.assert(
      fc.property(mutatedText(LINES), line => {
        const judged = judgeCommand(line, around)
        if (!judged.ok) expect(judged.reason).not.toBe('')
        else for (const command of judged.commands) expect(typeof command.text).toBe('string')
      }),
      fuzzing(500),
    )
  })
})

describe('what an MCP server says', () => {
  const RESULT = {
    content: [
      { type: 'text', text: 'x' },
      { type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' },
      { type: 'resource_link', uri: 'a://b', name: 'n' },
      { type: 'resource', resource: { uri: 'a://b', text: 'x', mimeType: 'text/plain' } },
    ],
    structuredContent: { city: 'Oslo', days: [1, 2] },
    isError: false,
  }

  test('in lines is read line by line, or refused; nothing is kept beyond the limit', () => {
    const line = `${JSON.stringify({ jsonrpc: '2.0', id: 1, result: RESULT })}\n`
    const bytes = mutatedBytes([Buffer.from(line + line)])
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 4 }), chunks => {
        const reader = createLineReader(2000)
        try {
          for (const chunk of chunks)
            for (const text of reader.add(Buffer.from(chunk))) expect(text.length).toBeLessThanOrEqual(2000)
        } catch (error) {
          expect((error as Error).message).toMatch(/^A message of the server is (larger|nested)/)
        }
      }),
      fuzzing(300),
    )
  })

  test('as structured content is an outcome, whatever it is', () => {
    fc.assert(
      fc.property(mutatedJson([RESULT.structuredContent]), mutatedJson([SCHEMA]), (structured, schema) => {
        const fields =
          typeof schema === 'object' && schema !== null ? (schema as Record<string, unknown>) : {}
        const result = { ...RESULT, structuredContent: structured } as CallToolResult
        expect(typeof toOutcome(result, fields).output_text).toBe('string')
      }),
      fuzzing(300),
    )
  })

  test('as a question is one that can be shown, or none', () => {
    const asked = [
      { mode: 'form', message: 'Which?', requestedSchema: SCHEMA },
      { mode: 'url', message: 'Go', url: 'https://a.org/x' },
    ]
    fc.assert(
      fc.property(mutatedJson(asked), value => {
        const read = parseElicitation(value)
        if (!read) return
        const question = toQuestion(read, { server: 's', tool: 't', source: 'x' })
        if ('url' in question) expect(question.url).toMatch(/^https?:/i)
      }),
      fuzzing(400),
    )
  })

  test('of a page beside a tool is a page that can be shown, or a problem with words', async () => {
    const csp = { connectDomains: ['https://a.org'], resourceDomains: ['https://b.org'] }
    const page = {
      uri: 'ui://a',
      mimeType: 'text/html;profile=mcp-app',
      text: '<p>',
      _meta: { ui: { csp, prefersBorder: true } },
    }
    const meta = { ui: { resourceUri: 'ui://a', visibility: ['app'] }, 'ui/resourceUri': 'ui://b' }
    const content = z.object({ uri: z.string(), mimeType: z.string().optional(), _meta: z.unknown() })
    const ReadAnswer = z.object({
      contents: z.array(
        z.union([content.extend({ text: z.string() }), content.extend({ blob: z.string() })]),
      ),
    })
    const { signal } = new AbortController()
    const given = mutatedJson([
      { contents: [page] },
      { contents: [{ ...page, text: undefined, blob: 'PHA+' }] },
    ])
    await fc.assert(
      fc.asyncProperty(given, mutatedJson([meta]), async (answer, told) => {
        const ui = uiOf(told)
        if (ui?.uri !== undefined) expect(ui.uri).toMatch(/^ui:/i)
        // As the protocol's own client does: what has not the form of an answer is refused there.
        const client = { readResource: async () => ReadAnswer.parse(answer) }
        const connection = { name: 'a', use: (work: (one: object) => unknown) => work(client) }
        const tool = { name: 't', description: '', input_schema: {}, ui: { ...ui, uri: 'ui://a' } }
        const place = { connection, tool } as unknown as ToolPlace
        const pages = createServerPages(() => new Map([['mcp__a__t', place]]))
        const read = await pages.read('mcp__a__t', signal).catch((error: unknown) => error)
        if (read instanceof Error) expect(read.message).toMatch(/\S/)
        else expect(read).toMatchObject({ html: expect.any(String), connect: expect.any(Array) })
      }),
      fuzzing(400),
    )
  })

  test('and what the log kept of a call is read, or is nothing', () => {
    const kept = {
      attempt: 1,
      way: 'round',
      rounds: 1,
      open: [{ key: 'k', asked: {} }],
      responses: {},
      given: [],
    }
    fc.assert(
      fc.property(mutatedJson([kept]), value => {
        loadSuspended({ get: () => value } as unknown as ToolNotes, 'c')
      }),
      fuzzing(400),
    )
  })

  test('and where it is found is read, or a problem with words', () => {
    const servers = {
      a: { command: 'npx', args: ['-y', '${HOME}'], env: { A: '${X:-y}' } },
      b: { url: 'https://a.org/mcp', headers: { authorization: 'Bearer ${TOKEN}' }, disabled: true },
    }
    fc.assert(
      fc.property(mutatedJson([servers]), value => {
        const { problems } = parseMcpServers(value, { HOME: '/h' })
        for (const problem of problems) expect(problem).toMatch(/^mcpServers/)
      }),
      fuzzing(400),
    )
  })
})

describe('found by wounded input', () => {
  const LENGTH = { length: { toString: 1, valueOf: 1 } }

  test('arguments with a `length` field are rejected, not thrown', () => {
    const tool = defineTool({
      name: 't',
      description: 'd',
      input: z.object({ items: z.array(z.string()).min(1) }),
      execute: async function* () {},
    } as unknown as Parameters<typeof defineTool>[0])
    expect(tool.check({ items: LENGTH })).toMatchObject({ ok: false, problems: [expect.any(String)] })
  })

  test('a question whose address has a `length` field is ignored', () => {
    expect(parseElicitation({ mode: 'url', message: 'x', url: LENGTH })).toBeUndefined()
  })

  test('a server whose command has a `length` field is a problem with a message', () => {
    expect(parseMcpServers({ a: { command: LENGTH } }, {}).problems).toHaveLength(1)
  })

  test('a hook whose command has a `length` field is rejected as a hook', () => {
    expect(() => parseHooks({ before_tool: [{ command: LENGTH }] })).toThrow(/^hooks: /)
  })
})

describe('arguments and answers', () => {
  test('of a call are a value or a message, whatever the model wrote', () => {
    const texts = mutatedText(['{"city":"Oslo","days":[1,2]}', '{"a":{"b":[{"c":"\\"["}]}}', '['.repeat(99)])
    fc.assert(
      fc.property(texts, text => {
        const parsed = parseArguments(text)
        if (!parsed.ok) expect(parsed.message.length).toBeLessThan(500)
      }),
      fuzzing(500),
    )
  })

  test('of a call with a bomb in them are a value or a message', () => {
    fc.assert(
      fc.property(bombed([{ city: 'Oslo', days: [1, 2] }]), text => {
        const parsed = parseArguments(text)
        if (!parsed.ok) expect(parsed.message.length).toBeLessThan(500)
        else JSON.stringify(parsed.input)
      }),
      fuzzing(40),
    )
  })

  test('are checked against any schema without throwing', () => {
    fc.assert(
      fc.property(mutatedJson([SCHEMA]), mutatedJson([{ city: 'Oslo', days: [1] }]), (schema, input) => {
        const fields =
          typeof schema === 'object' && schema !== null ? (schema as Record<string, unknown>) : {}
        const checked = createSchemaCheck(fields)(input)
        if (!checked.ok) expect(checked.problems.length).toBeGreaterThan(0)
      }),
      fuzzing(400),
    )
  })

  test('of a form are accepted or have problems, whatever was answered', () => {
    fc.assert(
      fc.property(mutatedText(['{"city":"Oslo"}', 'Oslo']), mutatedJson([SCHEMA]), (text, schema) => {
        const fields =
          typeof schema === 'object' && schema !== null ? (schema as Record<string, unknown>) : {}
        readFormAnswer(fields, { decision: 'approved', text })
      }),
      fuzzing(300),
    )
  })
})
