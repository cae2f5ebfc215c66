/**
 * May this call run? Pure: the same call, rules and mode give the same verdict.
 * Order: deny rules, ask rules, the mode, allow rules, what is harmless, and otherwise ask.
 */
import type { WithheldFiles } from '@toolwire/core'
import { judgeLine } from './judge-line.ts'
import { findNamedFiles } from './named-files.ts'
import { createPathGuard, type PathGuard } from './path-guard.ts'
import { toPathPattern } from './path-pattern.ts'
import type { PermissionRequest } from './permission-request.ts'
import { BUILT_IN, isSettings, protectedFrom, protectedRule } from './protected-paths.ts'
import { rulePlaces } from './rule-places.ts'
import {
  MAIN_AGENT,
  matchesAgent,
  matchesSubject,
  matchesTool,
  type Rule,
  ruleFor,
  withholds,
} from './rules.ts'
import { suggestRule } from './suggest-rule.ts'
import { byRule, type Verdict } from './verdict.ts'

export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions'

export function judge(request: PermissionRequest, rules: readonly Rule[], mode: PermissionMode): Verdict {
  const own = rules.filter(rule => matchesAgent(rule, request.agent))
  const about = own.filter(rule => matchesTool(rule, request.tool))
  const { subject } = request
  const reading = createPathGuard(own.filter(withholds), rulePlaces(request))
  if (subject.type === 'command') {
    const verdict = judgeLine(request, subject, about, {
      reading,
      writing: writeGuard(own, request),
    })
    return applyMode(forAsker(verdict, request), request, mode)
  }
  const fitting = fittingRules(request, about, reading)
  const verdict = judgePlain(request, fitting, reading)
  const others = own.filter(rule => withholds(rule) && !fitting.includes(rule))
  const withheld = withheldFrom(others, request)
  const judged = applyMode(forAsker(verdict, request), request, mode)
  return withheld === undefined ? judged : { ...judged, withheld }
}

/** Of the rules about the tool those that fit the call, with what is built in, and those of files that it names. */
function fittingRules(
  request: PermissionRequest,
  about: readonly Rule[],
  reading: PathGuard | undefined,
): readonly Rule[] {
  const { subject } = request
  const places = rulePlaces(request)
  const fitting = about.filter(rule => matchesSubject(rule, subject, places))
  const builtIn = subject.type === 'path' ? protectedFrom(subject, request, about) : undefined
  const { named } = reading ? namedFiles(request, reading) : {}
  return [...fitting, ...(named ? [named] : []), ...(builtIn ? [builtIn] : [])]
}

const namedFiles = (request: PermissionRequest, reading: PathGuard) =>
  'texts' in request
    ? findNamedFiles(request.texts, [request.cwd, request.workspace, ...(request.rule_bases ?? [])], reading)
    : {}

/** Files that the call must omit: those of all rules but the ones judged for the call itself. */
function withheldFrom(rules: readonly Rule[], request: PermissionRequest): WithheldFiles | undefined {
  if (rules.length === 0) return undefined
  const places = rulePlaces(request)
  const patterns = rules.map(({ text, content = '' }) => ({ text, ...toPathPattern(content, places, true) }))
  return {
    has: path => patterns.some(one => one.fits(path)),
    rulesBelow: dir => patterns.filter(one => one.mayFitBelow(dir)).map(one => one.text),
  }
}

/** Files that rules keep from being changed, and those that are protected without a rule. */
function writeGuard(rules: readonly Rule[], request: PermissionRequest): PathGuard {
  const edits = rules.filter(rule => rule.tool === 'Edit')
  const ruled = createPathGuard(edits, rulePlaces(request))
  const builtIn = (path: string): Rule | undefined => protectedRule(path, request)
  return {
    ruleFor: path => ruled?.ruleFor(path) ?? builtIn(path),
    ruleBelow: () => undefined,
    rule: ruled?.rule ?? { decision: 'ask', text: 'Edit', tool: 'Edit', source: BUILT_IN },
  }
}

/** A subagent's request is offered to its agent type alone. */
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
  const asked = isAskedIn(mode, verdict.rule)
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

/** With permissions bypassed, the built-in rules ask about the settings alone. */
const isAskedIn = (mode: PermissionMode, rule: Rule | undefined): boolean =>
  rule?.decision === 'ask' && (mode !== 'bypassPermissions' || rule.source !== BUILT_IN || isSettings(rule))

/** In plan mode a rule that allows writing does not count: only reading does. */
function isHarmless(verdict: Verdict, request: PermissionRequest): boolean {
  if (request.subject.type === 'command')
    return verdict.decision === 'allow' && verdict.parts?.every(part => part.rule === undefined) === true
  return request.subject.type === 'url' ? request.subject.read_only : request.read_only
}

/** A file with a further name may be a protected one, or lie elsewhere: a hard link does not show which. */
const isEdit = ({ subject, isInside, hasOtherNames }: PermissionRequest): boolean =>
  subject.type === 'path' && subject.write && isInside(subject.path) && !hasOtherNames?.(subject.path)

function judgePlain(
  request: PermissionRequest,
  fitting: readonly Rule[],
  reading: PathGuard | undefined,
): Verdict {
  const { subject, tool } = request
  const rule = strongest(fitting)
  if (rule && rule.decision !== 'allow') return byRule(rule)
  const { around } = reading ? namedFiles(request, reading) : {}
  if (around)
    return {
      decision: 'ask',
      reason: `${tool} may read files of the rule ${around.text}.`,
      why: { code: 'rule', params: { rule: around.text, source: around.source } },
    }
  if (rule) return byRule(rule)
  const suggestion = suggestRule(request)
  const isSkillRead = subject.type === 'path' && !subject.write && request.isReadable?.(subject.path) === true
  if (subject.type === 'path' && !isSkillRead && !request.isInside(subject.path))
    return {
      decision: 'ask',
      reason: `${subject.path} is outside the workspace.`,
      why: { code: 'outside', params: { path: subject.path } },
      suggestion,
    }
  if (!(request.needs_permission ?? !request.read_only))
    return {
      decision: 'allow',
      reason: request.read_only ? 'It only reads.' : `${tool} needs no permission.`,
    }
  if (request.read_only) return { decision: 'ask', reason: `${tool} wants to be asked about.`, suggestion }
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
