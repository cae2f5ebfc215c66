/**
 * May this call run? Pure: the same call, rules and mode give the same verdict.
 * Order: deny rules, ask rules, the mode, allow rules, what is harmless, and otherwise ask.
 */
import { homedir } from 'node:os'
import type { PermissionSubject } from '@toolwire/core'
import type { PermissionRequest } from './permission-request.ts'
import {
  fitsCommand,
  fitsSubject,
  isAbout,
  isFor,
  MAIN_AGENT,
  parseRule,
  type Rule,
  ruleFor,
} from './rules.ts'
import { type JudgedCommand, judgeCommand } from './shell/judge-command.ts'
import { suggestRule } from './suggest-rule.ts'

export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions'

export interface Verdict {
  readonly decision: 'allow' | 'ask' | 'deny'
  /** One sentence, for people and, on deny, for the model. */
  readonly reason: string
  /** Of a question: the reason as data, for those who say it in another language. */
  readonly why?: Why
  readonly code?: 'denied_rule' | 'denied_mode' | 'denied_hook'
  readonly rule?: Rule
  /** The narrowest rule that would have allowed it. */
  readonly suggestion?: string
  /** Of a command line: every sub-command with what decided it. */
  readonly parts?: readonly PartVerdict[]
}

interface Why {
  readonly code: 'outside' | 'changes' | 'may_change' | 'rule' | 'unclear' | 'command' | 'writes'
  /** Names and texts that the sentence is about. */
  readonly params: Readonly<Record<string, string>>
}

interface PartVerdict {
  readonly text: string
  readonly decision: 'allow' | 'ask' | 'deny'
  readonly reason: string
  readonly rule?: string
  readonly source?: string
}

export function judge(request: PermissionRequest, rules: readonly Rule[], mode: PermissionMode): Verdict {
  const about = rules.filter(rule => isFor(rule, request.agent) && isAbout(rule, request.tool))
  const verdict =
    request.subject.type === 'command'
      ? judgeLine(request, request.subject, about)
      : judgePlain(request, about)
  return applyMode(forAsker(verdict, request), request, mode)
}

/** What a subagent asks for is offered to its kind alone. */
function forAsker(verdict: Verdict, { agent }: PermissionRequest): Verdict {
  if (verdict.suggestion === undefined || agent === MAIN_AGENT) return verdict
  const { suggestion, ...rest } = verdict
  const narrow = agent === undefined ? suggestion : ruleFor(agent, suggestion)
  return narrow === undefined ? rest : { ...rest, suggestion: narrow }
}

/** Unknown words are the safe mode. */
export function toMode(text: string): PermissionMode {
  switch (text) {
    case 'acceptEdits':
    case 'plan':
    case 'dontAsk':
    case 'bypassPermissions':
      return text
    default:
      return 'default'
  }
}

function applyMode(verdict: Verdict, request: PermissionRequest, mode: PermissionMode): Verdict {
  if (verdict.decision === 'deny') return verdict
  if (mode === 'plan' && !isHarmless(verdict, request))
    return {
      ...verdict,
      decision: 'deny',
      code: 'denied_mode',
      reason: 'Plan mode only allows reading. Present the plan instead of carrying it out.',
    }
  if (verdict.decision === 'allow') return verdict
  const asked = verdict.rule?.decision === 'ask'
  if (mode === 'bypassPermissions' && !asked)
    return { decision: 'allow', reason: 'Permissions are bypassed.' }
  if (mode === 'acceptEdits' && !asked && isEdit(request))
    return { decision: 'allow', reason: 'Edits in the workspace are accepted.' }
  if (mode === 'dontAsk')
    return {
      ...verdict,
      decision: 'deny',
      code: 'denied_mode',
      reason: `Nobody is asked in this mode. ${verdict.reason}`,
    }
  return verdict
}

/** In plan mode a rule that allows writing does not count: only reading does. */
function isHarmless(verdict: Verdict, request: PermissionRequest): boolean {
  if (request.subject.type === 'command')
    return verdict.decision === 'allow' && verdict.parts?.every(part => part.rule === undefined) === true
  return request.subject.type === 'url' ? request.subject.read_only : request.read_only
}

const isEdit = ({ subject, isInside }: PermissionRequest): boolean =>
  subject.type === 'path' && subject.write && isInside(subject.path)

function judgePlain(request: PermissionRequest, about: readonly Rule[]): Verdict {
  const { subject, tool } = request
  const fitting = about.filter(rule => fitsSubject(rule, subject, request.workspace))
  const rule = strongest(fitting)
  if (rule) return byRule(rule)
  const suggestion = suggestRule(request)
  if (subject.type === 'path' && !request.isInside(subject.path))
    return {
      decision: 'ask',
      reason: `${subject.path} is outside the workspace.`,
      why: { code: 'outside', params: { path: subject.path } },
      suggestion,
    }
  if (request.read_only) return { decision: 'allow', reason: 'It only reads.' }
  if (subject.type === 'path')
    return {
      decision: 'ask',
      reason: `${tool} changes ${subject.path}.`,
      why: { code: 'changes', params: { tool, path: subject.path } },
      suggestion,
    }
  const reason = `${tool} may change something.`
  return { decision: 'ask', reason, why: { code: 'may_change', params: { tool } }, suggestion }
}

const strongest = (rules: readonly Rule[]): Rule | undefined =>
  rules.find(rule => rule.decision === 'deny') ?? rules.find(rule => rule.decision === 'ask') ?? rules[0]

function byRule(rule: Rule): Verdict {
  const where = `the rule ${rule.text} (${rule.source})`
  switch (rule.decision) {
    case 'allow':
      return { decision: 'allow', reason: `Allowed by ${where}.`, rule }
    case 'ask':
      return {
        decision: 'ask',
        reason: `${where} asks for it.`,
        why: { code: 'rule', params: { rule: rule.text, source: rule.source } },
        rule,
      }
    case 'deny':
      return { decision: 'deny', code: 'denied_rule', reason: rule.message ?? `Denied by ${where}.`, rule }
  }
}

function judgeLine(
  request: PermissionRequest,
  { command, unconfined = false }: Extract<PermissionSubject, { type: 'command' }>,
  about: readonly Rule[],
): Verdict {
  const raw = denial(about, [command])
  if (raw) return byRule(raw)
  const judged = judgeCommand(command, { ...request, home: homedir() })
  const whole = about.find(rule => rule.content === undefined)
  if (!judged.ok) {
    if (whole) return byRule(whole)
    const reason = `It cannot be judged: ${judged.reason}.`
    return { decision: 'ask', reason, why: { code: 'unclear', params: {} } }
  }
  const parts = judged.commands
    .map(part => (unconfined ? { ...part, because: part.because ?? UNCONFINED } : part))
    .map(part => ({ part, verdict: judgePart(part, about) }))
  const worst =
    parts.find(({ verdict }) => verdict.decision === 'deny') ??
    parts.find(({ verdict }) => verdict.rule?.decision === 'ask') ??
    parts.find(({ verdict }) => verdict.decision === 'ask')
  const told = parts.map(({ part, verdict }) => toPart(part, verdict))
  if (!worst) return { decision: 'allow', reason: 'Every part of it is allowed.', parts: told }
  const suggestion = worst.verdict.decision === 'ask' ? offer(request, worst.part, about) : undefined
  return { ...worst.verdict, parts: told, ...(suggestion === undefined ? {} : { suggestion }) }
}

/** Even what only reads stays in the sandbox, unless somebody lets it out. */
const UNCONFINED = 'it would run outside the sandbox'

/** Nothing that would not help: whoever takes the offer is not asked about this part again. */
function offer(request: PermissionRequest, part: JudgedCommand, about: readonly Rule[]): string | undefined {
  const text = suggestRule(request, allowedForm(part))
  if (text === undefined) return undefined
  const rule = parseRule(text, 'allow', 'session')
  return judgePart(part, [...about, rule]).decision === 'allow' ? text : undefined
}

/** Allowing looks only at the narrowest form: `sudo npm test` is not `npm test`. */
const allowedForm = ({ forms, because, text }: JudgedCommand): string =>
  (forms.length > 1 && because !== undefined ? forms[0] : undefined) ?? text

function judgePart(part: JudgedCommand, about: readonly Rule[]): Verdict {
  const no = denial(about, part.forms)
  if (no) return byRule(no)
  const ask = about.find(rule => rule.decision === 'ask' && fitsAny(rule, part.forms))
  if (ask) return byRule(ask)
  const yes = about.find(rule => rule.decision === 'allow' && fitsExactly(rule, allowedForm(part)))
  const isCovered = part.writes.length === 0 && !part.hazard
  if (yes && (isCovered || yes.content === undefined)) return byRule(yes)
  if (part.because === undefined) return { decision: 'allow', reason: 'It only reads.' }
  return { decision: 'ask', reason: `${part.text}: ${part.because}.`, why: whyOf(part) }
}

function whyOf({ text: command, writes }: JudgedCommand): Why {
  const [path] = writes
  return path === undefined
    ? { code: 'command', params: { command } }
    : { code: 'writes', params: { command, path } }
}

const denial = (about: readonly Rule[], forms: readonly string[]): Rule | undefined =>
  about.find(rule => rule.decision === 'deny' && fitsAny(rule, forms))

const fitsAny = (rule: Rule, forms: readonly string[]): boolean =>
  rule.content === undefined ||
  forms.some(form => fitsCommand(rule.content ?? '', form) || fitsCommand(rule.content ?? '', plain(form)))

/** A program of another place, or one whose surroundings were changed, is not the one that was allowed. */
const fitsExactly = ({ content }: Rule, form: string): boolean =>
  content === undefined || fitsCommand(content, form) || fitsCommand(content, form.replace(HARMLESS, ''))
const HARMLESS = /^(?:(?:LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CI|NODE_ENV)=[\w.,:+-]*\s+)+/

/** The program by its bare name and without leading assignments, so that `/bin/rm` cannot slip past `rm`. */
const plain = (form: string): string =>
  form.replace(/^(?:[A-Za-z_]\w*=\S*\s+)+/, '').replace(/^\\?(?:[^\s'"]*\/)?([^\s/'"]+)/, '$1')

const toPart = (part: JudgedCommand, verdict: Verdict): PartVerdict => ({
  text: part.text,
  decision: verdict.decision,
  reason: verdict.reason,
  ...(verdict.rule ? { rule: verdict.rule.text, source: verdict.rule.source } : {}),
})
