/** The settings of this session that its next run uses. */
import { useView } from '@toolwire/react'
import { useEffort } from '../screens/effort-select.tsx'
import { useStrings } from '../strings/use-strings.ts'

export function SessionSettings() {
  const { a } = useStrings()
  const model = useView(view => view.info.model)
  const effort = useEffort()
  return (
    <p className="session-settings">
      {model} · {a(`effort.${effort}`)}
    </p>
  )
}
