/**
 * A rule that is written or changed by hand. What would be kept is shown, word for word and with what it means, before
 * it can be saved; the list shows it when the server has it.
 */
import { type FormEvent, useId, useState } from 'react'
import { type RuleJson, serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { errorText } from '../use-loaded.ts'
import { Choice } from './choice.tsx'
import { draftOf, type RuleDraft, textOf, wishOf } from './rule-draft.ts'
import { RuleMeaning } from './rule-meaning.tsx'
import { RuleTerms } from './rule-terms.tsx'
import { useRuleMeaning } from './use-rule-meaning.ts'

export interface RuleEditorProps {
  /** The rule that is changed; a new one without it. */
  readonly rule?: RuleJson | undefined
  readonly session: string | undefined
  /** The folder that rules of a project are for. */
  readonly workspace: string | null
  /** Called when the server has the rule. */
  readonly onSaved: () => void
  readonly onCancel: () => void
}

export function RuleEditor({ rule, session, workspace, onSaved, onCancel }: RuleEditorProps) {
  const { a } = useStrings()
  const [draft, setDraft] = useState(() => draftOf(rule, session))
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState('')
  const meaning = useRuleMeaning(textOf(draft), draft.decision, session)
  const change = (part: Partial<RuleDraft>) => {
    setRefused('')
    setDraft(before => ({ ...before, ...part }))
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setRefused('')
    const wish = wishOf(draft, rule, new Date())
    void serverApi
      .setRule(wish, { session, replaces: rule?.id })
      .then(onSaved, (thrown: unknown) => setRefused(errorText(thrown)))
      .then(() => setBusy(false))
  }
  const problem = refused === '' ? meaning.error : refused
  return (
    <form className="rule-editor" onSubmit={save} aria-label={a(rule ? 'rule.change' : 'rule.add')}>
      <Choice
        label={a('rule.decision')}
        value={draft.decision}
        options={(['allow', 'ask', 'deny'] as const).map(value => [value, a(`permissions.${value}`)])}
        onChange={decision => change({ decision })}
      />
      <RuleText draft={draft} problem={problem} onChange={change} />
      <RuleTerms draft={draft} rule={rule} session={session} onChange={change} />
      <RuleMeaning
        meaning={meaning.told}
        folder={draft.scope === 'project' ? workspace : null}
        session={session}
      />
      <div className="provider-actions">
        <button type="submit" className="button primary" disabled={busy || meaning.told === undefined}>
          {a(busy ? 'rule.saving' : 'rule.save')}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          {a('rule.cancel')}
        </button>
      </div>
    </form>
  )
}

interface RuleTextProps {
  readonly draft: RuleDraft
  readonly problem: string
  readonly onChange: (part: Partial<RuleDraft>) => void
}

function RuleText({ draft, problem, onChange }: RuleTextProps) {
  const { a } = useStrings()
  const note = useId()
  return (
    <div>
      <label className="field">
        <span>{a('rule.text')}</span>
        <input
          name="rule"
          autoComplete="off"
          spellCheck={false}
          maxLength={1000}
          placeholder="Bash(npm test:*)"
          aria-invalid={problem !== ''}
          aria-describedby={note}
          value={draft.text}
          onChange={event => onChange({ text: event.target.value })}
        />
      </label>
      <p
        id={note}
        className={problem === '' ? 'field-note' : 'error'}
        role={problem === '' ? undefined : 'alert'}
      >
        {problem === '' ? a('rule.text_note') : problem}
      </p>
    </div>
  )
}
