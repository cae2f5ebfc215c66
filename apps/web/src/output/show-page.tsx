/** The button of a call whose output is a page. Nothing is drawn before a click. */
import { isCutOutput } from '@toolwire/core/parts'
import type { CallView } from '@toolwire/core/view'
import { useSessionContext } from '@toolwire/react'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { useStrings } from '../strings/use-strings.ts'
import { htmlOf } from './html-of.ts'
import { readArtifact } from './read-artifact.ts'

const HtmlPane = lazy(async () => ({ default: (await import('./html-pane.tsx')).HtmlPane }))

export function ShowPage({ call }: { readonly call: CallView }) {
  const { a } = useStrings()
  const { session } = useSessionContext()
  const [open, setOpen] = useState(false)
  const output = call.result?.output_text
  const html = useMemo(() => htmlOf(output), [output])
  const read = useCallback(async () => {
    if (!isCutOutput(output ?? '')) return html ?? ''
    const whole = await readArtifact(session.id, call.call_id, new AbortController().signal)
    return htmlOf(whole) ?? whole
  }, [session.id, call.call_id, output, html])
  if (html === undefined) return null
  return (
    <>
      <button type="button" data-tw-part="quiet-button" className="show-page" onClick={() => setOpen(true)}>
        <AppIcon name="page" />
        <span>{a('html.show')}</span>
      </button>
      {open && (
        <Suspense fallback={null}>
          <HtmlPane name={call.name} read={read} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
