/** A form for the arguments of a tool, made from its schema; the same arguments can be written as JSON. */
import { type FormEvent, useId, useMemo, useState } from 'react'
import { useWords } from '../strings/use-words.ts'
import { type FormField, formFields } from './form-fields.ts'
import { type FormProblem, type FormValues, initialValues, toInput, toValues } from './form-input.ts'

export interface SchemaFormProps {
  readonly schema: Readonly<Record<string, unknown>>
  readonly submit: string
  readonly busy: boolean
  readonly onSubmit: (input: unknown) => void
}

export function SchemaForm({ schema, submit, busy, onSubmit }: SchemaFormProps) {
  const { a } = useWords()
  const fields = useMemo(() => formFields(schema), [schema])
  const [values, setValues] = useState<FormValues>(() => initialValues(fields))
  const [json, setJson] = useState<string | undefined>(undefined)
  const [told, setTold] = useState(false)
  const { input, problems } = toInput(fields, values)
  const raw = json === undefined ? undefined : parse(json)
  const send = (event: FormEvent) => {
    event.preventDefault()
    setTold(true)
    if (raw) {
      if ('value' in raw) onSubmit(raw.value)
    } else if (Object.keys(problems).length === 0) onSubmit(input)
  }
  const toForm = () => {
    const back = raw && 'value' in raw ? toValues(fields, raw.value) : undefined
    if (back) setValues(back)
    setJson(undefined)
  }
  return (
    <form className="schema-form" noValidate onSubmit={send}>
      {json === undefined ? (
        fields.map(field => (
          <Field
            key={field.name}
            field={field}
            value={values[field.name] ?? ''}
            problem={told ? problems[field.name] : undefined}
            onChange={text => setValues({ ...values, [field.name]: text })}
          />
        ))
      ) : (
        <label className="field">
          <span className="field-name">JSON</span>
          <textarea
            rows={8}
            value={json}
            spellCheck={false}
            aria-invalid={raw !== undefined && !('value' in raw)}
            onChange={event => setJson(event.target.value)}
          />
        </label>
      )}
      <div className="form-actions">
        <button type="submit" className="button primary" disabled={busy}>
          {submit}
        </button>
        <button
          type="button"
          className="button"
          onClick={() => (json === undefined ? setJson(JSON.stringify(input, null, 2)) : toForm())}
        >
          {json === undefined ? a('form.as_json') : a('form.as_form')}
        </button>
        {raw !== undefined && !('value' in raw) && <span className="error">{a('form.json')}</span>}
      </div>
    </form>
  )
}

interface FieldProps {
  readonly field: FormField
  readonly value: string
  readonly problem: FormProblem | undefined
  readonly onChange: (text: string) => void
}

function Field(props: FieldProps) {
  const { field, problem } = props
  const { a } = useWords()
  const id = useId()
  return (
    <div className="field" data-kind={field.kind}>
      <label htmlFor={id}>
        <span className="field-name">{field.name}</span>
        <span className="field-type">{field.kind === 'choice' ? '' : field.type}</span>
        {field.required && <em>{a('tools.required')}</em>}
      </label>
      <Control {...props} id={id} />
      {field.description !== '' && (
        <p className="field-note" id={`${id}-note`}>
          {field.description}
        </p>
      )}
      {problem && (
        <p className="error" role="alert">
          {a(`form.${problem}`)}
        </p>
      )}
    </div>
  )
}

function Control({ field, value, problem, onChange, id }: FieldProps & { readonly id: string }) {
  const shared = {
    id,
    value,
    'aria-invalid': problem !== undefined,
    ...(field.description === '' ? {} : { 'aria-describedby': `${id}-note` }),
  }
  switch (field.kind) {
    case 'choice':
      return <Select {...shared} options={field.options} onChange={onChange} />
    case 'boolean':
      return <Select {...shared} options={['true', 'false']} onChange={onChange} />
    case 'number':
      return (
        <input
          {...shared}
          inputMode={field.integer ? 'numeric' : 'decimal'}
          autoComplete="off"
          onChange={event => onChange(event.target.value)}
        />
      )
    case 'text':
    case 'json':
      return (
        <textarea
          {...shared}
          rows={Math.min(8, Math.max(field.kind === 'json' ? 2 : 1, value.split('\n').length))}
          spellCheck={false}
          onChange={event => onChange(event.target.value)}
        />
      )
  }
}

interface SelectProps {
  readonly id: string
  readonly value: string
  readonly options: readonly string[]
  readonly onChange: (text: string) => void
}

/** Options are JSON; a plain text is shown without its quotes. */
function Select({ options, onChange, ...rest }: SelectProps) {
  return (
    <select {...rest} onChange={event => onChange(event.target.value)}>
      <option value="">—</option>
      {options.map(option => (
        <option key={option} value={option}>
          {option.startsWith('"') ? String(JSON.parse(option)) : option}
        </option>
      ))}
    </select>
  )
}

function parse(text: string): { readonly value: unknown } | { readonly problem: 'json' } {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: 'json' }
  }
}
