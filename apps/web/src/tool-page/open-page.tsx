/** The button of a call whose server has a page for it. Nothing is read or drawn before a click. */
import type { CallView } from '@toolwire/core/view'
import { useSessionContext } from '@toolwire/react'
import { AppIcon } from '../app-icon.tsx'
import { useStrings } from '../strings/use-strings.ts'
import { pageOf } from './call-facts.ts'
import { openPage } from './page-target.ts'
import { useToolPage } from './use-tool-page.ts'

export function OpenPage({ call }: { readonly call: CallView }) {
  const { a } = useStrings()
  const { session } = useSessionContext()
  const early = useToolPage(call.state === 'building' && call.tool_type === 'mcp' ? call.name : '')
  if (pageOf(call) === undefined && !early) return null
  return (
    <button
      type="button"
      data-tw-part="quiet-button"
      className="open-page"
      onClick={() => openPage(session.id, call.id)}
    >
      <AppIcon name="page" />
      <span>{a('page.open')}</span>
    </button>
  )
}
