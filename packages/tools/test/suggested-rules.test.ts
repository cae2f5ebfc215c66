/** The rule that is offered beside "allow": it spares the next question about the same, and allows nothing else. */
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PermissionRequest } from '../src/permissions/permission-request.ts'
import { judge } from '../src/permissions/policy.ts'
import { fitsCommand, loadRules, parseRule, type RuleSet } from '../src/permissions/rules.ts'
import { ASKS } from './shell-corpus.ts'

const isInside = (path: string): boolean => resolve(path) === '/w' || resolve(path).startsWith('/w/')
const bash = (command: string): PermissionRequest => ({
  tool: 'Bash',
  subject: { type: 'command', command, repository: 'own' },
  read_only: false,
  cwd: '/w',
  workspace: '/w',
  isInside,
  realPath: path => path,
  entries: () => [],
})
const verdict = (command: string, rules: RuleSet = {}) =>
  judge(bash(command), loadRules(rules, 'test', '/w'), 'default')
const offered = (command: string, rules?: RuleSet) => verdict(command, rules).suggestion

describe('over the whole corpus', () => {
  const offers = ASKS.flatMap(command => {
    const rule = offered(command)
    return rule === undefined ? [] : [{ command, rule }]
  })

  test('an offer is made for most lines that can be judged', () => {
    expect(offers.length).toBeGreaterThan(100)
  })

  test('the part that asked is allowed by the rule that was offered for it', () => {
    const useless = offers.filter(({ command, rule }) => {
      const asked = (verdict(command).parts ?? []).filter(part => part.decision === 'ask').length
      const left = (verdict(command, { allow: [rule] }).parts ?? []).filter(part => part.decision === 'ask')
      return left.length >= asked
    })
    expect(useless).toEqual([])
  })

  test('what is no prefix of a known subcommand is the very line and no other', () => {
    const broad = offers.filter(({ rule }) => {
      const content = parseRule(rule, 'allow', 'test').content ?? '*'
      if (/^\w+ [\w: .-]+:\*$/.test(content)) return false
      return content.includes('*') || fitsCommand(content, `${content} more`)
    })
    expect(broad).toEqual([])
  })
})

test('a command with a star is offered no rule: in a rule the star would be anything', () => {
  expect(offered('rm *.log')).toBeUndefined()
  expect(offered('git add *.ts')).toBe('Bash(git add:*)')
})

test('a command that writes a file is offered none, for none would allow it', () => {
  expect(offered('npm test > out.txt')).toBeUndefined()
})

test('where a rule asks, no rule is offered: asking is stronger', () => {
  expect(offered('npm test', { ask: ['Bash(npm:*)'] })).toBeUndefined()
})

test('under another user only the whole line is offered', () => {
  expect(offered('sudo git push origin')).toBe('Bash(sudo git push origin)')
  expect(verdict('sudo git push origin', { allow: ['Bash(sudo git push origin)'] }).decision).toBe('allow')
})
