/** The preview of a call: all of its arguments, at first the ends of long ones. */
import type { CallView } from '@toolwire/core/view'
import { ToolBody } from '../call/tool-body.tsx'
import { useAsked } from './use-asked.ts'

export function AskedBody({ call }: { readonly call: CallView }) {
  const asked = useAsked(call)
  return asked.bodies.map(body => <ToolBody key={body.kind} call={call} body={body} asked={asked} />)
}
