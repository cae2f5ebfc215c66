/**
 * Sets a rule by hand. The new one applies before the replaced one is removed: there is no moment with neither.
 */
import { AppError, reasonOf, type SessionState } from '@toolwire/core'
import { type ListedRule, toListed } from './listed-rule.ts'
import type { ProjectRules } from './project-rules.ts'
import { isActive, parseRule, type Rule, type RuleDecision } from './rules.ts'
import { RULE_NOTE, toNoteValue } from './session-rule.ts'

export interface RuleInput {
  readonly rule: string
  readonly decision: RuleDecision
  /** For one session, or for all that work in its folder. */
  readonly scope: 'session' | 'project'
  /** Applies until then; permanent if absent. */
  readonly expires_at?: string
}

type SetRule =
  | {
      readonly type: 'set'
      readonly rule: ListedRule
      /** Complete only when these are in the session's log. */
      readonly notes: readonly RuleNote[]
      readonly replaced?: ListedRule
    }
  | { readonly type: 'fixed'; readonly rule: ListedRule }
  | { readonly type: 'unknown' }

interface RuleNote {
  readonly name: string
  readonly value: unknown
}

/**
 * Sets a rule, in place of one with the same text in the same scope, and of the listed one that `replaces` names.
 * Throws `bad_request` for what is no rule or is over already, `conflict` when the project's file cannot be changed.
 */
export type RuleSetter = (session: SessionState, wish: RuleInput, replaces?: string) => Promise<SetRule>

export interface RuleSetterDeps {
  readonly project: ProjectRules | undefined
  readonly now: () => Date
  /** Every active rule of the session. */
  readonly list: (session: SessionState) => Promise<readonly ListedRule[]>
}

export function createRuleSetter({ project, now, list }: RuleSetterDeps): RuleSetter {
  async function place(session: SessionState, rule: Rule): Promise<readonly RuleNote[]> {
    const { text, decision, expires_at } = rule
    if (rule.source === 'session')
      return [{ name: RULE_NOTE + text, value: toNoteValue(decision, expires_at) }]
    const until = expires_at === undefined ? {} : { expires_at }
    await inFile(session, (file, workspace) => file.set(workspace, { rule: text, decision, ...until }))
    return []
  }

  async function displace(session: SessionState, { source, rule }: ListedRule): Promise<readonly RuleNote[]> {
    if (source === 'session') return [{ name: RULE_NOTE + rule, value: null }]
    await inFile(session, (file, workspace) => file.revoke(workspace, rule))
    return []
  }

  async function inFile(
    session: SessionState,
    act: (file: ProjectRules, workspace: string) => Promise<void>,
  ): Promise<void> {
    const workspace = session.created?.cwd
    if (!project || workspace === undefined)
      throw new AppError('bad_request', 'Rules of a project are not kept here.')
    try {
      await act(project, workspace)
    } catch (error) {
      throw new AppError('conflict', `The settings of the project cannot be changed: ${reasonOf(error)}`)
    }
  }

  return async (session, wish, replaces) => {
    const before =
      replaces === undefined ? undefined : (await list(session)).find(({ id }) => id === replaces)
    if (replaces !== undefined && !before) return { type: 'unknown' }
    if (before && !before.revocable) return { type: 'fixed', rule: before }
    const rule = toRule(wish, now())
    const put = await place(session, rule)
    const gone = before && !isInPlaceOf(rule, before) ? await displace(session, before) : []
    const notes = [...put, ...gone]
    return { type: 'set', rule: toListed(rule), notes, ...(before ? { replaced: before } : {}) }
  }
}

/** True if setting one has overwritten the other. */
const isInPlaceOf = (rule: Rule, before: ListedRule): boolean =>
  before.source === rule.source && before.rule === rule.text

function toRule({ rule: text, decision, scope, expires_at }: RuleInput, now: Date): Rule {
  try {
    const rule = { ...parseRule(text, decision, scope), ...(expires_at === undefined ? {} : { expires_at }) }
    if (!isActive(rule, now)) throw new Error(`That is over already: ${expires_at}.`)
    return { ...rule, set_here: true }
  } catch (error) {
    throw new AppError('bad_request', reasonOf(error))
  }
}
