/** The prompt that the session's models get: its parts with their tokens, the skills, and what the user may change. */
import { formatTokens } from '@toolwire/core/view'
import { useSessionContext, useView } from '@toolwire/react'
import { useCallback, useState } from 'react'
import { type ContextPartJson, type SkillJson, serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { errorText, useLoaded } from '../use-loaded.ts'

export function PromptTab() {
  const { a, locale } = useStrings()
  const { session } = useSessionContext()
  const read = useCallback(() => serverApi.context(session.id), [session.id])
  const { data, error, refresh } = useLoaded(read)
  const [problem, setProblem] = useState('')
  const renew = async () => {
    setProblem('')
    try {
      await serverApi.refreshContext(session.id)
      refresh()
    } catch (thrown) {
      setProblem(errorText(thrown))
    }
  }
  const shown = problem === '' ? error : problem
  return (
    <div className="prompt-tab">
      {shown !== '' && (
        <p className="error" role="alert">
          {shown}
        </p>
      )}
      {data && (
        <section aria-label={a('prompt.title')}>
          <p className="prompt-total">
            {a('prompt.tokens', { n: formatTokens(data.tokens, locale) })}
            <button type="button" className="button small" onClick={() => void renew()}>
              {a('prompt.refresh')}
            </button>
          </p>
          {data.is_stale && <p className="quiet">{a('prompt.stale')}</p>}
          {data.parts.length === 0 && <p className="quiet">{a('prompt.empty')}</p>}
          {data.parts.map(part => (
            <PromptPart key={`${part.key} ${part.source}`} part={part} />
          ))}
          <Notes lines={[...data.skipped, ...data.warnings]} />
        </section>
      )}
      <Skills />
      <Instructions />
    </div>
  )
}

/** Its text exists only while it is open: instruction files may be long. */
function PromptPart({ part }: { readonly part: ContextPartJson }) {
  const { a, locale } = useStrings()
  const [open, setOpen] = useState(false)
  return (
    <details className="prompt-part" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{part.key}</strong>
        <span className="quiet">{part.source}</span>
        <span className="prompt-tokens">{a('prompt.tokens', { n: formatTokens(part.tokens, locale) })}</span>
      </summary>
      {open && <pre>{part.text}</pre>}
    </details>
  )
}

function Notes({ lines }: { readonly lines: readonly string[] }) {
  const { a } = useStrings()
  if (lines.length === 0) return null
  return (
    <>
      <p className="quiet">{a('prompt.skipped')}</p>
      <ul className="prompt-notes">
        {lines.map(line => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </>
  )
}

/** Nothing on a server without skills. */
function Skills() {
  const { a } = useStrings()
  const workspace = useView(view => view.info.cwd)
  const read = useCallback(() => serverApi.skills(workspace === '' ? undefined : workspace), [workspace])
  const { data } = useLoaded(read)
  if (!data) return null
  return (
    <section aria-label={a('skills.title')}>
      <h2>{a('skills.title')}</h2>
      {data.skills.length === 0 && <p className="quiet">{a('skills.empty')}</p>}
      <ul className="skills">
        {data.skills.map(skill => (
          <Skill key={skill.path} skill={skill} />
        ))}
      </ul>
      <Notes lines={[...data.skipped, ...data.warnings]} />
    </section>
  )
}

function Skill({ skill }: { readonly skill: SkillJson }) {
  const { a } = useStrings()
  const marks = [
    a(`skills.${skill.source}`),
    ...(skill.for_users ? [] : [a('skills.models_only')]),
    ...(skill.for_models ? [] : [a('skills.users_only')]),
    ...(skill.shadowed_by === undefined ? [] : [a('skills.replaced')]),
    ...skill.warnings,
  ]
  return (
    <li>
      <strong>/{skill.name}</strong>
      <span>{skill.description}</span>
      <span className="quiet" title={skill.path}>
        {marks.join(' · ')}
      </span>
    </li>
  )
}

/** The user's own part of the prompt. Nothing where the server keeps none. */
function Instructions() {
  const { data } = useLoaded(serverApi.instructions)
  return data ? <InstructionForm stored={data.instructions} /> : null
}

function InstructionForm({ stored }: { readonly stored: string }) {
  const { a } = useStrings()
  const [saved, setSaved] = useState(stored)
  const [text, setText] = useState(stored)
  const [state, setState] = useState({ good: true, words: '' })
  const save = async () => {
    try {
      const { instructions } = await serverApi.setInstructions(text)
      setSaved(instructions)
      setState({ good: true, words: a('prompt.saved') })
    } catch (thrown) {
      setState({ good: false, words: errorText(thrown) })
    }
  }
  return (
    <form
      className="instructions"
      onSubmit={event => {
        event.preventDefault()
        void save()
      }}
    >
      <label className="field">
        <span>{a('prompt.instructions')}</span>
        <textarea rows={4} value={text} onChange={event => setText(event.target.value)} />
      </label>
      <p className="field-note">{a('prompt.instructions_note')}</p>
      <button type="submit" className="button" disabled={text === saved}>
        {a('prompt.save')}
      </button>
      <p className={state.good ? 'quiet' : 'error'} role="status">
        {state.words}
      </p>
    </form>
  )
}
