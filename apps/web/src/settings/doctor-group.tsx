/** The checks of `toolwire doctor` on a page, each with its advice. Run on request. */
import { Icon } from '@toolwire/react'
import { useState } from 'react'
import { type FindingJson, serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'
import { errorText } from '../use-loaded.ts'
import { Group } from './group.tsx'

export function DoctorGroup() {
  const { a } = useStrings()
  const [findings, setFindings] = useState<readonly FindingJson[]>()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const run = () => {
    setBusy(true)
    setError('')
    void serverApi
      .doctor()
      .then(
        answer => setFindings(answer.findings),
        (thrown: unknown) => setError(errorText(thrown)),
      )
      .then(() => setBusy(false))
  }
  return (
    <Group title={a('doctor.title')} note={a('doctor.lead')}>
      <button type="button" className="button doctor-run" disabled={busy} onClick={run}>
        {a(busy ? 'doctor.running' : 'doctor.run')}
      </button>
      {error !== '' && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      {findings && (
        <ul className="findings" aria-live="polite">
          {findings.map(finding => (
            <Row key={finding.what} finding={finding} />
          ))}
        </ul>
      )}
    </Group>
  )
}

const ICONS = { good: 'check', note: 'triangle', bad: 'cross' } as const

function Row({ finding: { state, what, mend } }: { readonly finding: FindingJson }) {
  const { a } = useStrings()
  return (
    <li data-finding={state}>
      <Icon name={ICONS[state]} />
      <span>
        <em>{a(`doctor.${state}`)}</em> {what}
        {mend !== undefined && <span className="finding-mend">{mend}</span>}
      </span>
    </li>
  )
}
