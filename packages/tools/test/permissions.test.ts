import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../src/builtin/builtin-tools.ts'
import type { PermissionRequest } from '../src/permissions/permission-request.ts'
import { judge, type PermissionMode } from '../src/permissions/policy.ts'
import { fitsCommand, loadRules, parseRule, type RuleSet } from '../src/permissions/rules.ts'
import { codeOf, createStage, type Stage, type StageOptions, textOf } from './stage.ts'

let stage: Stage | undefined
const open = (options: Partial<StageOptions> = {}): Stage => {
  stage = createStage({ tools: createBuiltinTools(), ...options })
  return stage
}
afterEach(() => {
  stage?.close()
  stage = undefined
})

const isInside = (path: string): boolean => path === '/w' || path.startsWith('/w/')
const looks = { realPath: (path: string) => path, entries: () => [] }
const around = { cwd: '/w', workspace: '/w', isInside, ...looks }
const bash = (command: string): PermissionRequest => ({
  tool: 'Bash',
  subject: { type: 'command', command, repository: 'own' },
  read_only: false,
  ...around,
})
const file = (tool: string, path: string, write: boolean): PermissionRequest => ({
  tool,
  subject: { type: 'path', path, write },
  read_only: !write,
  ...around,
})
const decide = (request: PermissionRequest, rules: RuleSet = {}, mode: PermissionMode = 'default') =>
  judge(request, loadRules(rules, 'test', '/w'), mode).decision

describe('rules', () => {
  test('without rules reading in the workspace is allowed and everything else asks', () => {
    expect(decide(file('Read', '/w/a', false))).toBe('allow')
    expect(decide(file('Read', '/etc/passwd', false))).toBe('ask')
    expect(decide(file('Write', '/w/a', true))).toBe('ask')
    expect(decide(bash('ls'))).toBe('allow')
    expect(decide(bash('npm test'))).toBe('ask')
  })

  test('deny beats ask beats allow, however specific they are', () => {
    expect(decide(bash('npm test'), { allow: ['Bash(npm test)'], ask: ['Bash(npm:*)'] })).toBe('ask')
    expect(decide(bash('npm test'), { allow: ['Bash(npm test)'], deny: ['Bash'] })).toBe('deny')
    expect(decide(bash('ls'), { deny: ['Bash(ls:*)'] })).toBe('deny')
    const edit = file('Edit', '/w/a/b', true)
    expect(decide(edit, { allow: ['Edit(a/b)'], ask: ['Edit(a/**)'], deny: ['Edit'] })).toBe('deny')
    expect(decide(edit, { allow: ['Edit(a/b)'], ask: ['Edit(a/**)'] }, 'bypassPermissions')).toBe('ask')
    expect(decide(edit, { allow: ['Edit(a/b)'] })).toBe('allow')
  })

  test.each([
    ['npm test', 'npm test', true],
    ['npm test', 'npm test --watch', false],
    ['npm run:*', 'npm run build', true],
    ['npm run:*', 'npm run', true],
    ['npm run:*', 'npm runx', false],
    ['npm run *', 'npm run build -- x', true],
    ['git log*', 'git log --oneline', true],
    ['git * main', 'git push main', true],
    ['git * main', 'git push dev', false],
    ['a.b', 'axb', false],
  ])('the command pattern %s against %s: %s', (pattern, command, expected) => {
    expect(fitsCommand(pattern, command)).toBe(expected)
  })

  test('every part of a line must be allowed for the line to be', () => {
    const rules = { allow: ['Bash(npm test:*)'] }
    expect(decide(bash('npm test && ls'), rules)).toBe('allow')
    expect(decide(bash('npm test && npm publish'), rules)).toBe('ask')
    expect(decide(bash('npm test; rm -rf /'), rules)).toBe('ask')
    expect(decide(bash('npm test $(rm x)'), rules)).toBe('ask')
    expect(decide(bash('npm test > out'), rules)).toBe('ask')
  })

  test.each([
    'rm x',
    'sudo rm x',
    'env rm x',
    'ls && rm x',
    'echo $(rm x)',
    '/bin/rm x',
    '\\rm x',
    'FOO=1 rm x',
    'timeout 5 rm x',
    "bash -c 'rm x'",
    'find . -exec rm {} +',
    'ls | xargs rm',
  ])('a denied program is found in: %s', command => {
    expect(decide(bash(command), { deny: ['Bash(rm:*)'] }, 'bypassPermissions')).toBe('deny')
  })

  test('a denied wrapper is found in any part of a line', () => {
    expect(decide(bash('ls && sudo ls'), { deny: ['Bash(sudo:*)'] }, 'bypassPermissions')).toBe('deny')
  })

  test('allowing a program does not allow it under another user', () => {
    expect(decide(bash('sudo npm test'), { allow: ['Bash(npm test:*)'] })).toBe('ask')
  })

  test('allowing a program does not allow another of its name, nor the same one in a manipulated environment', () => {
    const allow = ['Bash(npm test:*)']
    for (const line of [
      './npm test',
      '/tmp/npm test',
      'PATH=. npm test',
      'npm_config_script_shell=./x npm test',
    ])
      expect([line, decide(bash(line), { allow })]).toEqual([line, 'ask'])
    expect(decide(bash('CI=1 LC_ALL=C npm test -- a'), { allow })).toBe('allow')
    expect(decide(bash('/bin/rm a'), { allow: ['Bash'], deny: ['Bash(rm:*)'] })).toBe('deny')
  })

  test('allowing a command does not allow what runs beside it without being one', () => {
    const allow = ['Bash(npm test:*)', 'Bash([[:*)']
    for (const line of [
      "for x in '$(touch y)'; do npm test ${x@P}; done",
      "npm test; for x in 'a[$(touch y)]'; do npm test $((x)); done",
      '[[ a -eq 0 ]] && npm test',
      'npm test {PATH}>/dev/null',
      'npm test; npm() { :; }',
      'coproc npm test',
    ]) {
      expect([line, decide(bash(line), { allow })]).toEqual([line, 'ask'])
      expect([line, decide(bash(line), { allow: ['Bash'] })]).toEqual([line, 'allow'])
      expect([line, decide(bash(line), { allow }, 'plan')]).toEqual([line, 'deny'])
    }
    expect(decide(bash("bash -c '(( x ))'"), { allow: ['Bash(bash -c:*)'] })).toBe('allow')
    expect(decide(bash("bash -c '(( x ))'"), { allow: ['Bash((( x )))'] })).toBe('ask')
    expect(decide(bash('for x in a b; do npm test $x ${x:0:1} $((1 + 2)); done'), { allow })).toBe('allow')
  })

  test('a denied command is found where something else in the line cannot be judged', () => {
    for (const line of [
      '[ "$(rm a)" ]',
      'for PATH in .; do rm a; done',
      '[[ a ]] && rm a',
      "bash -c '(( x )); rm a'",
    ])
      expect(decide(bash(line), { deny: ['Bash(rm:*)'] }, 'bypassPermissions')).toBe('deny')
  })

  test('a line that cannot be parsed asks, unless the whole tool is allowed', () => {
    expect(decide(bash('echo "'), { allow: ['Bash(echo:*)'] })).toBe('ask')
    expect(decide(bash('echo "'), { allow: ['Bash'] })).toBe('allow')
  })

  test('a line that cannot be parsed is denied by a rule that its text fits, also where the whole tool is allowed', () => {
    for (const rules of [{}, { allow: ['Bash'] }])
      expect(decide(bash('rm -rf / "'), { ...rules, deny: ['Bash(rm:*)'] })).toBe('deny')
  })

  test('rules for Read and Edit with a path govern every tool that reads or edits', () => {
    expect(decide(file('Grep', '/w/secret/x', false), { deny: ['Read(secret)'] })).toBe('deny')
    expect(decide(file('Write', '/w/src/a', true), { allow: ['Edit(src/**)'] })).toBe('allow')
    expect(decide(file('Write', '/w/other/a', true), { allow: ['Edit(src/**)'] })).toBe('ask')
    expect(decide(file('Read', '/data/x', false), { allow: ['Read(/data/**)'] })).toBe('allow')
    expect(decide(file('Read', '/database/x', false), { allow: ['Read(/data)'] })).toBe('ask')
  })

  test('servers of MCP tools are matched by name and by wildcard', () => {
    const request = (tool: string): PermissionRequest => ({
      tool,
      subject: { type: 'tool', read_only: false },
      read_only: false,
      ...around,
    })
    expect(decide(request('mcp__git__push'), { allow: ['mcp__git__*'] })).toBe('allow')
    expect(decide(request('mcp__git__push'), { allow: ['mcp__git'] })).toBe('allow')
    expect(decide(request('mcp__github__push'), { allow: ['mcp__git'] })).toBe('ask')
  })

  test('hosts are matched whole', () => {
    const request = (url: string): PermissionRequest => ({
      tool: 'WebFetch',
      subject: { type: 'url', url, read_only: true },
      read_only: false,
      ...around,
    })
    expect(decide(request('https://example.com/x'), { allow: ['WebFetch(domain:example.com)'] })).toBe(
      'allow',
    )
    expect(
      decide(request('https://example.com.evil.net/'), { allow: ['WebFetch(domain:example.com)'] }),
    ).toBe('ask')
    expect(decide(request('https://a.example.com/'), { allow: ['WebFetch(domain:*.example.com)'] })).toBe(
      'allow',
    )
    for (const url of ['https://a.example.com/', 'https://notexample.com/', 'https://example.com@evil.net/'])
      expect([url, decide(request(url), { allow: ['WebFetch(domain:example.com)'] })]).toEqual([url, 'ask'])
    for (const url of ['https://notexample.com/', 'https://example.com/', 'https://a.example.com.evil.net/'])
      expect([url, decide(request(url), { allow: ['WebFetch(domain:*.example.com)'] })]).toEqual([url, 'ask'])
  })

  test('a rule whose own examples fail is refused when it is loaded', () => {
    expect(() =>
      loadRules(
        { allow: [{ rule: 'Bash(npm:*)', match: ['npm test'], not_match: ['npx x'] }] },
        'test',
        '/w',
      ),
    ).not.toThrow()
    expect(() => loadRules({ allow: [{ rule: 'Bash(npm:*)', match: ['yarn test'] }] }, 'test', '/w')).toThrow(
      /yarn test/,
    )
    expect(() => loadRules({ deny: [{ rule: 'Bash(npm:*)', not_match: ['npm x'] }] }, 'test', '/w')).toThrow(
      /npm x/,
    )
    expect(() => parseRule('Bash(', 'allow', 'test')).toThrow(/Not a permission rule/)
  })

  test('one narrow rule is offered, for the part that asks', () => {
    const offered = (command: string) => judge(bash(command), [], 'default').suggestion
    expect(offered('ls && npm run build --x')).toBe('Bash(npm run build:*)')
    expect(offered('git push origin main')).toBe('Bash(git push:*)')
    expect(offered('rm -rf x')).toBe('Bash(rm -rf x)')
    expect(offered('python3 x.py')).toBe('Bash(python3 x.py)')
    expect(offered('git push $WHERE main')).toBe('Bash(git push $WHERE main)')
    expect(offered('sudo npm test')).toBe('Bash(sudo npm test)')
    expect(judge(file('Write', '/w/src/a.ts', true), [], 'default').suggestion).toBe('Edit(/w/src/**)')
  })
})

describe('modes', () => {
  test('acceptEdits allows edits in the workspace and nothing else', () => {
    expect(decide(file('Write', '/w/a', true), {}, 'acceptEdits')).toBe('allow')
    expect(decide(file('Write', '/etc/a', true), {}, 'acceptEdits')).toBe('ask')
    expect(decide(bash('npm test'), {}, 'acceptEdits')).toBe('ask')
    expect(decide(file('Write', '/w/a', true), { ask: ['Write'] }, 'acceptEdits')).toBe('ask')
  })

  test('plan only reads, even what a rule allows', () => {
    expect(decide(file('Read', '/w/a', false), {}, 'plan')).toBe('allow')
    expect(decide(bash('ls'), {}, 'plan')).toBe('allow')
    expect(decide(bash('npm test'), { allow: ['Bash'] }, 'plan')).toBe('deny')
    expect(decide(file('Write', '/w/a', true), { allow: ['Write'] }, 'plan')).toBe('deny')
  })

  test('dontAsk denies what would ask', () => {
    expect(decide(bash('npm test'), {}, 'dontAsk')).toBe('deny')
    expect(decide(bash('npm test'), { allow: ['Bash(npm test)'] }, 'dontAsk')).toBe('allow')
    expect(decide(bash('ls'), {}, 'dontAsk')).toBe('allow')
  })

  test('bypassPermissions allows everything but denials and explicit questions', () => {
    expect(decide(bash('rm -rf /'), {}, 'bypassPermissions')).toBe('allow')
    expect(decide(bash('rm -rf /'), { deny: ['Bash(rm:*)'] }, 'bypassPermissions')).toBe('deny')
    expect(decide(bash('rm -rf /'), { ask: ['Bash(rm:*)'] }, 'bypassPermissions')).toBe('ask')
  })
})

describe('approvals', () => {
  const touch = { name: 'Bash', input: { command: 'touch made' } }

  test('a question is an event that names the call, the reason and a rule; the run waits', async () => {
    const s = open()
    await s.say([touch])
    expect(await s.settle()).toBe('pause')
    const [asked] = s.events('tool.approval_requested')
    expect(asked?.approval_id).toMatch(/^apr_ses_1\./)
    expect(asked?.details).toMatchObject({
      suggested_rule: 'Bash(touch made)',
      why: { code: 'command', params: { command: 'touch made' } },
    })
    expect(s.events('tool.started')).toHaveLength(0)
  })

  test('an approved call runs, after a restart too', async () => {
    const s = open()
    const call = await s.one('Bash', touch.input)
    s.restart()
    s.approve(call)
    await s.settle()
    expect(s.events('tool.approval_resolved')[0]?.decision).toBe('approved')
    expect(s.state().calls[0]?.outcome?.is_error).toBe(false)
    expect(textOf(await s.one('Bash', { command: 'ls' }))).toBe('made')
  })

  test('a denial reaches the model with the approver’s text', async () => {
    const s = open()
    s.approve(await s.one('Bash', touch.input), { decision: 'denied', reason: 'use make instead' })
    await s.settle()
    expect(codeOf(s.state().calls[0])).toBe('denied_user')
    expect(textOf(s.state().calls[0])).toContain('use make instead')
  })

  test('edited arguments are what runs, and they are checked again', async () => {
    const s = open()
    s.approve(await s.one('Bash', touch.input), { edited_input_text: '{"command":"touch other && ls"}' })
    await s.settle()
    expect(textOf(s.state().calls[0])).toBe('other')
    s.approve(await s.one('Bash', { command: 'touch third' }), { edited_input_text: '{"cmd":1}' })
    await s.settle()
    expect(codeOf(s.state().calls[0])).toBe('invalid_input')
  })

  test('an answer may be given instead of running the call', async () => {
    const s = open()
    s.approve(await s.one('Bash', touch.input), { answer_text: 'it is there already' })
    await s.settle()
    expect(textOf(s.state().calls[0])).toBe('it is there already')
    expect(s.events('tool.started')).toHaveLength(0)
  })

  test('a rule given with the approval applies for the rest of the session, also after a restart', async () => {
    const s = open()
    s.approve(await s.one('Bash', touch.input), { rule: 'Bash(touch:*)' })
    await s.settle()
    s.restart()
    expect((await s.one('Bash', { command: 'touch again' })).outcome?.is_error).toBe(false)
    expect(s.events('tool.approval_requested')).toHaveLength(1)
  })

  test('a malformed rule does not spoil the approval', async () => {
    const s = open()
    s.approve(await s.one('Bash', touch.input), { rule: 'Bash((' })
    await s.settle()
    expect(s.state().calls[0]?.outcome?.is_error).toBe(false)
  })

  test('a question delays nothing that it does not touch, and holds what it does', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), 'old')
    await s.say([
      { name: 'Write', input: { file_path: s.path('b.txt'), content: 'new' } },
      { name: 'Read', input: { file_path: s.path('a.txt') } },
      { name: 'Read', input: { file_path: s.path('b.txt') } },
    ])
    expect(await s.settle()).toBe('pause')
    expect(s.state().calls.map(call => call.outcome !== undefined)).toEqual([false, true, false])
    const [write] = s.state().calls
    if (write) s.approve(write)
    expect(await s.settle()).toBe('call-model')
    expect(textOf(s.state().calls[2])).toContain('new')
  })

  test('what is held runs after a denial as well', async () => {
    const s = open()
    await s.say([touch, { name: 'Bash', input: { command: 'ls' } }])
    await s.settle()
    const [first] = s.state().calls
    if (first) s.approve(first, { decision: 'denied' })
    expect(await s.settle()).toBe('call-model')
    expect(textOf(s.state().calls[1])).toBe('(no output)')
  })

  test('a call that cannot work is rejected before the user is asked', async () => {
    const s = open()
    writeFileSync(s.path('a.txt'), 'old')
    const call = await s.one('Write', { file_path: s.path('a.txt'), content: 'x' })
    expect(codeOf(call)).toBe('not_read')
    expect(s.events('tool.approval_requested')).toHaveLength(0)
  })

  test('the question about a write shows the change it would make', async () => {
    const s = open()
    await s.one('Write', { file_path: s.path('new.txt'), content: 'hello\n' })
    expect(JSON.stringify(s.events('tool.approval_requested')[0]?.details)).toContain('+hello')
  })
})

describe('paths', () => {
  test('a link inside the workspace that leads outside is outside', async () => {
    const s = open()
    symlinkSync('/etc', s.path('link'))
    const call = await s.one('Read', { file_path: s.path('link', 'passwd') })
    expect(call.approval?.message).toContain('/etc/passwd is outside')
    expect((await s.one('Bash', { command: 'cat link/passwd' })).approval).toBeDefined()
  })

  test('a directory whose name begins like the workspace is outside', async () => {
    const s = open()
    const evil = `${s.workspace}-evil`
    mkdirSync(evil)
    writeFileSync(join(evil, 'x'), 'x')
    expect((await s.one('Read', { file_path: join(evil, 'x') })).approval).toBeDefined()
  })

  test('a denied path stays denied through a link', async () => {
    const s = open({ permissions: { rules: { deny: ['Read(/etc/**)'] } } })
    symlinkSync('/etc', s.path('link'))
    expect(codeOf(await s.one('Read', { file_path: s.path('link', 'passwd') }))).toBe('denied_rule')
  })

  test('the denial names the rule and its source', async () => {
    const s = open({
      permissions: {
        rules: { deny: [{ rule: 'Bash(git push:*)', message: 'Pushing is for people.' }, 'Bash(git tag:*)'] },
        source: 'project',
      },
    })
    expect(textOf(await s.one('Bash', { command: 'git push' }))).toContain('Pushing is for people.')
    expect(textOf(await s.one('Bash', { command: 'git tag v1' }))).toContain(
      'the rule Bash(git tag:*) (project)',
    )
  })
})
