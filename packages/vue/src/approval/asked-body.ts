/** The preview of a call: all of its arguments, at first the ends of long ones. */
import type { CallView } from '@toolwire/core/view'
import { defineComponent } from 'vue'
import { ToolBody } from '../call/tool-body.ts'
import { h } from '../shared/h.ts'
import { useAsked } from './use-asked.ts'

export const AskedBody = defineComponent(
  (props: { readonly call: CallView }) => {
    const asked = useAsked(() => props.call)
    return () =>
      asked.value.bodies.map(body =>
        h(ToolBody, { key: body.kind, call: props.call, body, asked: asked.value }),
      )
  },
  { name: 'AskedBody', props: ['call'] },
)
