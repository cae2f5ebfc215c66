/** Command lines: every sub-command is judged, by the rules for commands and by those for the files that it opens. */
import { homedir } from 'node:os'
import type { PermissionSubject } from '@toolwire/core'
import type { PathGuard } from './path-guard.ts'
import type { PermissionRequest } from './permission-request.ts'
import { fitsCommand, parseRule, type Rule } from './rules.ts'
import { type JudgedCommand, judgeCommand } from './shell/judge-command.ts'
import { suggestRule } from './suggest-rule.ts'
import { byRule, type PartVerdict, type Verdict, type Why } from './verdict.ts'

export interface Guards {
  readonly reading: PathGuard | undefined
  readonly writing: PathGuard
}

/** `guards` are for files that the rules keep from being read, and from being changed. */
export function judgeLine(
  request: PermissionRequest,
  { command, unconfined = false, repository = 'other' }: Extract<PermissionSubject, { type: 'command' }>,
  about: readonly Rule[],
  guards: Guards,
): Verdict {
  const raw = denial(about, [command])
  if (raw) return byRule(raw)
  const judged = judgeCommand(command, { ...request, repository, home: homedir() })
  const whole = about.find(rule => rule.content === undefined)
  if (!judged.ok) {
    if (whole && (whole.decision !== 'allow' || !guards.reading)) return byRule(whole)
    const reason = `It cannot be judged: ${judged.reason}.`
    return { decision: 'ask', reason, why: { code: 'unclear', params: {} } }
  }
  const parts = judged.commands
    .map(part => (unconfined ? { ...part, because: part.because ?? UNCONFINED } : part))
    .map(part => ({ part, verdict: judgePart(part, about, guards) }))
  const worst =
    parts.find(({ verdict }) => verdict.decision === 'deny') ??
    parts.find(({ verdict }) => verdict.rule?.decision === 'ask') ??
    parts.find(({ verdict }) => verdict.decision === 'ask')
  const told = parts.map(({ part, verdict }) => toPart(part, verdict))
  if (!worst) return { decision: 'allow', reason: 'Every part of it is allowed.', parts: told }
  const suggestion = worst.verdict.decision === 'ask' ? offer(request, worst.part, about, guards) : undefined
  return { ...worst.verdict, parts: told, ...(suggestion === undefined ? {} : { suggestion }) }
}

/** Even read-only commands stay in the sandbox, unless the user allows otherwise. */
const UNCONFINED = 'it would run outside the sandbox'

/** Offers only rules that help: after accepting, the user is not asked about this part again. */
function offer(
  request: PermissionRequest,
  part: JudgedCommand,
  about: readonly Rule[],
  guards: Guards,
): string | undefined {
  const text = suggestRule(request, allowedForm(part))
  if (text === undefined) return undefined
  const rule = parseRule(text, 'allow', 'session')
  return judgePart(part, [...about, rule], guards).decision === 'allow' ? text : undefined
}

/** Allowing looks only at the narrowest form: `sudo npm test` is not `npm test`. */
const allowedForm = ({ forms, because, text }: JudgedCommand): string =>
  (forms.length > 1 && because !== undefined ? forms[0] : undefined) ?? text

function judgePart(part: JudgedCommand, about: readonly Rule[], guards: Guards): Verdict {
  const no = denial(about, part.forms)
  if (no) return byRule(no)
  const guarded = judgeFiles(part, guards)
  if (guarded?.decision === 'deny') return guarded
  const ask = about.find(rule => rule.decision === 'ask' && fitsAny(rule, part.forms))
  if (ask) return byRule(ask)
  if (guarded) return guarded
  const yes = about.find(rule => rule.decision === 'allow' && fitsExactly(rule, allowedForm(part)))
  const isCovered = part.writes.length === 0 && !part.hazard
  if (yes && (isCovered || yes.content === undefined)) return byRule(yes)
  if (part.because === undefined) return { decision: 'allow', reason: 'It only reads.' }
  return asking(part, part.because)
}

/** The verdict of file rules on a command, whatever command rules allow. */
function judgeFiles(part: JudgedCommand, { reading, writing }: Guards): Verdict | undefined {
  const read = reading && part.meets(reading)
  if (read?.isCertain && read.rule.decision === 'deny') return byRule(read.rule)
  const written = part.because === undefined ? undefined : part.meets(writing)
  const target = part.targets.map(path => writing.ruleFor(path)).find(rule => rule?.decision === 'deny')
  if (target) return byRule(target)
  if (read?.isCertain) return byRule(read.rule)
  if (read) return asking(part, `it may read files of the rule ${read.rule.text}`)
  return written?.isCertain ? asking(part, `it may change files of the rule ${written.rule.text}`) : undefined
}

const asking = (part: JudgedCommand, because: string): Verdict => ({
  decision: 'ask',
  reason: `${part.text}: ${because}.`,
  why: whyOf(part),
})

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
