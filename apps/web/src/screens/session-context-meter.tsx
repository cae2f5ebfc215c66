/** Context usage of the model that responded last. */
import { ContextMeter, useView } from '@toolwire/react'
import { useContextWindow } from '../use-models.ts'

export function SessionContextMeter() {
  const model = useView(view => view.context?.model ?? '')
  const window = useContextWindow(model)
  return <ContextMeter {...(window === undefined ? {} : { window })} />
}
