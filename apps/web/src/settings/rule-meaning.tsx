/** The exact rule that would be kept, and what it means, in sentences. */
import type { RuleMeaningJson } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'

export interface RuleMeaningProps {
  readonly meaning: RuleMeaningJson | undefined
  /** Of a rule for all sessions of a folder: which. */
  readonly folder: string | null
  readonly session: string | undefined
}

export function RuleMeaning({ meaning, folder, session }: RuleMeaningProps) {
  const { a } = useStrings()
  return (
    <div className="rule-meaning" role="status">
      {meaning && (
        <>
          <p>
            {a('rule.exact')} <em data-effect={meaning.decision}>{a(`permissions.${meaning.decision}`)}</em>{' '}
            <code>{meaning.rule}</code>
          </p>
          <p className="quiet">{sentences(meaning, a).join(' ')}</p>
          {folder !== null && (
            <p className="quiet">{a('rule.kept_in', { path: `${folder}/.toolwire/settings.json` })}</p>
          )}
          {session !== undefined && meaning.calls > 0 && (
            <p className="quiet">
              {a('rule.rehearsed', {
                calls: meaning.calls,
                changed: meaning.changed,
                writes: meaning.writes,
              })}
            </p>
          )}
        </>
      )}
    </div>
  )
}

function sentences(meaning: RuleMeaningJson, a: ReturnType<typeof useStrings>['a']): readonly string[] {
  const { tools, content, agent } = meaning
  const names = tools.join(', ')
  return [
    tools.length === 0
      ? a('rule.no_tool')
      : content === undefined
        ? a('rule.every', { tools: names })
        : a('rule.some', { tools: names, content }),
    a(agent === undefined ? 'rule.any_agent' : 'rule.one_agent', { agent: agent ?? '' }),
  ]
}
