/** The arguments of a call, to be changed before it runs: a form from the tool's schema, or JSON. */
import { isJson, prettyJson, type Schema, schemaLike } from '@toolwire/core/parts'
import type { CallView } from '@toolwire/core/view'
import { defineComponent, shallowRef } from 'vue'
import { type SessionCommands, useSessionContext } from '../session/session-context.ts'
import { h } from '../shared/h.ts'
import { SchemaForm } from './schema-form.ts'
import { TextForm } from './text-form.ts'

export interface ArgsFormProps {
  readonly call: CallView
  readonly busy: boolean
  readonly onSubmit: (input: unknown) => void
  readonly focus: boolean
  readonly onCancel?: () => void
}

export const ArgsForm = defineComponent(
  (props: ArgsFormProps) => {
    const { t, commands } = useSessionContext()
    const schema = shallowRef<Schema | undefined>(undefined)
    void findSchema(props.call, commands.value, found => {
      schema.value = found
    })
    return () => {
      const { call, busy, onSubmit, onCancel } = props
      const shared = { submit: t.value('approval.allow_once'), busy, ...(onCancel ? { onCancel } : {}) }
      if (schema.value === undefined) return null
      if (Object.keys(schema.value).length > 0)
        return h(SchemaForm, {
          ...shared,
          t: t.value,
          schema: schema.value,
          initial: call.input,
          onSubmit,
        })
      return h(TextForm, {
        ...shared,
        label: t.value('approval.edit'),
        initial: prettyJson(call.input_text),
        mono: true,
        focus: props.focus,
        rows: 6,
        check: text => (isJson(text) ? undefined : t.value('approval.edit_invalid')),
        onSubmit: text => onSubmit(JSON.parse(text)),
      })
    }
  },
  { name: 'ArgsForm', props: ['call', 'busy', 'focus', 'onSubmit', 'onCancel'] },
)

/**
 * Returns an empty schema where no form fits. For an unknown tool it is derived from the arguments, synchronously.
 */
async function findSchema(
  { name, input }: CallView,
  { tools }: SessionCommands,
  give: (schema: Schema) => void,
): Promise<void> {
  const own = typeof input === 'object' && input !== null ? schemaLike(input) : {}
  if (!tools) return give(own)
  const found = await tools().then(
    list => list.find(tool => tool.name === name)?.input_schema,
    () => undefined,
  )
  give(found && 'properties' in own ? found : own)
}
