/** The arguments of a call, to be changed before it runs: a form from the tool's schema, or JSON. */
import { isJson, prettyJson, type Schema, schemaLike } from '@toolwire/core/parts'
import type { CallView } from '@toolwire/core/view'
import { useEffect, useState } from 'react'
import { useSessionContext } from '../session/session-context.ts'
import { SchemaForm } from './schema-form.tsx'
import { TextForm } from './text-form.tsx'

export interface ArgsFormProps {
  readonly call: CallView
  readonly busy: boolean
  readonly onSubmit: (input: unknown) => void
  readonly focus: boolean
  readonly onCancel?: () => void
}

export function ArgsForm({ call, onSubmit, focus, ...form }: ArgsFormProps) {
  const { t } = useSessionContext()
  const schema = useSchema(call)
  const submit = t('approval.allow_once')
  if (schema === undefined) return null
  if (Object.keys(schema).length > 0)
    return <SchemaForm {...{ schema, t, submit, onSubmit }} {...form} initial={call.input} />
  return (
    <TextForm
      {...{ submit, focus }}
      {...form}
      label={t('approval.edit')}
      initial={prettyJson(call.input_text)}
      mono
      rows={6}
      check={text => (isJson(text) ? undefined : t('approval.edit_invalid'))}
      onSubmit={text => onSubmit(JSON.parse(text))}
    />
  )
}

/** Undefined until it is known; empty where no form fits. For an unknown tool it is derived from the arguments. */
function useSchema({ name, input }: CallView): Schema | undefined {
  const { commands } = useSessionContext()
  const own = typeof input === 'object' && input !== null ? schemaLike(input) : {}
  const [found, setFound] = useState<Schema | undefined>(commands.tools ? undefined : own)
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once per form
  useEffect(() => {
    let gone = false
    void commands
      .tools?.()
      .then(
        tools => tools.find(tool => tool.name === name)?.input_schema,
        () => undefined,
      )
      .then(schema => gone || setFound(schema && 'properties' in own ? schema : own))
    return () => {
      gone = true
    }
  }, [])
  return found
}
