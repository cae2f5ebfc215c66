/** Files that decide what runs later are asked about, also where edits are accepted. */
import { existsSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createBuiltinTools } from '../../src/builtin/builtin-tools.ts'
import { createStage, type Stage, type StageOptions, textOf } from '../stage.ts'

const stages: Stage[] = []
afterEach(() => {
  for (const stage of stages.splice(0)) stage.close()
})

function open(options: Partial<StageOptions> = {}): Stage {
  const stage = createStage({ tools: createBuiltinTools(), mode: 'acceptEdits', ...options })
  stages.push(stage)
  return stage
}

function put(stage: Stage, name: string, text = 'x\n'): void {
  mkdirSync(dirname(stage.path(name)), { recursive: true })
  writeFileSync(stage.path(name), text)
}

const write = (stage: Stage, file_path: string) => stage.one('Write', { file_path, content: 'changed\n' })

const PROTECTED = [
  '.git/config',
  '.git/hooks/post-checkout',
  '.git/info/attributes',
  'sub/.git/config',
  '.GIT/config',
  '.g\u200cit/config',
  'toolwire.config.json',
  'TOOLWIRE.config.json',
  '.toolwire/settings.json',
  '.claude/settings.json',
  '.mcp.json',
  '.husky/pre-commit',
  '.vscode/tasks.json',
  '.envrc',
  'AGENTS.md',
  'CLAUDE.md',
  'CLAUDE.local.md',
  'GEMINI.md',
  'src/deep/AGENTS.md',
  '.github/copilot-instructions.md',
  '.cursor/rules/a.mdc',
  '.bashrc',
  'home/.zshrc',
  'a/../.git/config',
]

describe('where edits are accepted', () => {
  test('other files are written without a question', async () => {
    const stage = open()
    for (const name of ['src/a.ts', '.gitignore', 'README.md', 'git/config', 'docs/agents.txt'])
      expect(textOf(await write(stage, name))).toContain('created')
  })

  test.each(PROTECTED)('writing %s is asked about', async name => {
    for (const mode of ['default', 'acceptEdits']) {
      const stage = open({ mode })
      const call = await write(stage, name)
      expect(call.approval?.details).toMatchObject({ source: 'built in' })
      expect(existsSync(stage.path(name))).toBe(false)
    }
  })

  test('changing one is asked about by every tool that edits', async () => {
    const stage = open()
    put(stage, 'AGENTS.md', 'old\n')
    await stage.one('Read', { file_path: 'AGENTS.md' })
    const edit = await stage.one('Edit', { file_path: 'AGENTS.md', old_string: 'old', new_string: 'new' })
    expect(edit.approval?.details).toMatchObject({ rule: 'Edit(agents.md)' })
    const other = open()
    const cell = { id: 'a', cell_type: 'code', source: 'x', metadata: {}, outputs: [], execution_count: null }
    const notebook = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }
    put(other, '.claude/x.ipynb', JSON.stringify(notebook))
    await other.one('NotebookRead', { notebook_path: '.claude/x.ipynb' })
    const input = { notebook_path: '.claude/x.ipynb', cell_id: 'a', new_source: 'y' }
    expect((await other.one('NotebookEdit', input)).approval?.details).toMatchObject({ source: 'built in' })
  })

  test('a link to one, and one by a link, are asked about', async () => {
    const stage = open()
    put(stage, '.git/config')
    put(stage, 'plain.txt')
    symlinkSync('.git', stage.path('repository'))
    symlinkSync('.git/config', stage.path('settings'))
    symlinkSync('plain.txt', stage.path('CLAUDE.md'))
    for (const name of ['repository/config', 'settings', 'CLAUDE.md', 'repository/new']) {
      await stage.one('Read', { file_path: name })
      expect([name, (await write(stage, name)).approval !== undefined]).toEqual([name, true])
    }
  })

  test('a workspace that is reached through a link has the same files', async () => {
    const stage = open()
    renameSync(stage.workspace, join(stage.dir, 'real'))
    symlinkSync(join(stage.dir, 'real'), stage.workspace)
    for (const name of [
      '.toolwire/settings.json',
      'toolwire.config.json',
      join(stage.dir, 'real', '.git/config'),
    ])
      expect([name, (await write(stage, name)).approval !== undefined]).toEqual([name, true])
  })

  test('a workspace inside of such a folder is one like others', async () => {
    const stage = open()
    const inner = stage.path('.claude', 'worktrees', 'one')
    mkdirSync(inner, { recursive: true })
    stage.append({
      type: 'session.created',
      ts: new Date(0).toISOString(),
      cwd: inner,
      model: 'demo',
      tools: ['*'],
      permission_mode: 'acceptEdits',
    })
    expect(textOf(await write(stage, join(inner, 'a.ts')))).toContain('created')
    expect((await write(stage, join(inner, '.claude/settings.json'))).approval).toBeDefined()
  })

  test('a file with a further name is asked about: it may be one of them', async () => {
    const stage = open()
    put(stage, '.git/config', 'old\n')
    linkSync(stage.path('.git/config'), stage.path('plain.txt'))
    await stage.one('Read', { file_path: 'plain.txt' })
    expect((await write(stage, 'plain.txt')).approval).toBeDefined()
  })

  test('files that hooks run are asked about, by whatever word the configuration names them', async () => {
    const stage = open({
      hooks: {
        before_tool: [{ matcher: 'none', command: 'cat data.txt | node scripts/check.js --all data.txt' }],
        after_tool: [{ matcher: 'none', command: 'sh "./scripts/after.sh"; ./scripts/run' }],
      },
      permissions: { programs: ['tools'] },
    })
    symlinkSync('scripts', stage.path('alias'))
    mkdirSync(stage.path('scripts'))
    for (const name of [
      'scripts/check.js',
      'scripts/after.sh',
      'scripts/run',
      'alias/check.js',
      'tools/mine.ts',
    ])
      expect([name, (await write(stage, name)).approval !== undefined]).toEqual([name, true])
    for (const name of ['scripts/other.js', 'data.txt'])
      expect(textOf(await write(stage, name))).toContain('created')
  })

  test('a command that writes to one asks, also where commands are allowed', async () => {
    const stage = open({ permissions: { rules: { allow: ['Bash'] } } })
    put(stage, '.git/config')
    symlinkSync('.git', stage.path('repository'))
    for (const command of [
      'echo x > .git/config',
      'cp a repository/config',
      'sed -i s/a/b/ AGENTS.md',
      'touch ./toolwire.config.json',
      'mv a .claude/settings.json',
      'rm .toolwire/settings.json',
      'tee .bashrc',
      'mkdir -p .git/hooks',
    ])
      expect([command, (await stage.one('Bash', { command })).approval !== undefined]).toEqual([
        command,
        true,
      ])
    const read = await stage.one('Bash', { command: 'cat .git/config' })
    expect(textOf(read)).toContain('x')
  })
})

describe('a rule that allows', () => {
  const rules = (...allow: string[]) => ({ permissions: { rules: { allow } } })

  test('a folder does not reach the protected files in it', async () => {
    const stage = open(rules('Edit(**)', 'Edit', 'Write'))
    for (const name of ['AGENTS.md', '.git/config', 'toolwire.config.json'])
      expect((await write(stage, name)).approval).toBeDefined()
  })

  test('one by its name does, unless it is among the settings of permissions', async () => {
    const stage = open(rules('Edit(AGENTS.md)', 'Edit(.git)', 'Edit(.toolwire/settings.json)'))
    expect(textOf(await write(stage, 'AGENTS.md'))).toContain('created')
    expect((await write(stage, '.git/config')).approval).toBeDefined()
    expect((await write(stage, '.toolwire/settings.json')).approval).toBeDefined()
    expect((await write(stage, 'sub/AGENTS.md')).approval).toBeDefined()
  })
})

test('with permissions bypassed only the settings of permissions are asked about', async () => {
  const stage = open({ mode: 'bypassPermissions' })
  expect(textOf(await write(stage, 'AGENTS.md'))).toContain('created')
  expect((await write(stage, '.toolwire/settings.json')).approval).toBeDefined()
})

test('a person who allows it has it written', async () => {
  const stage = open()
  const call = await write(stage, 'AGENTS.md')
  stage.approve(call)
  await stage.settle()
  expect(existsSync(stage.path('AGENTS.md'))).toBe(true)
})
