/** A form made from a schema, with real controls; the same values can be written as JSON. */
import {
  type FormField,
  type FormProblem,
  type FormValues,
  formFields,
  initialValues,
  isJson,
  type Schema,
  toInput,
  toValues,
} from '@toolwire/core/parts'
import type { Translate } from '@toolwire/core/view'
import { type FormEvent, useId, useMemo, useState } from 'react'
import { MarkedValue } from '../output/marked-value.tsx'

export interface SchemaFormProps {
  readonly schema: Schema
  readonly t: Translate
  readonly submit: string
  readonly busy: boolean
  readonly onSubmit: (input: unknown) => void
  readonly onCancel?: () => void
  /** Initial values; fields without one are behind "more". */
  readonly initial?: unknown
  /** For people who fill in a form: without types, and not as JSON. */
  readonly plain?: boolean
}

export function SchemaForm(props: SchemaFormProps) {
  const { schema, t, submit, busy, initial, plain = false, onSubmit, onCancel } = props
  const fields = useMemo(() => formFields(schema), [schema])
  const [values, setValues] = useState<FormValues>(() => initialValues(fields, initial))
  const [json, setJson] = useState<string | undefined>(undefined)
  const [told, setTold] = useState(false)
  const { input, problems } = toInput(fields, values, initial)
  const wrong = json !== undefined && !isJson(json)
  const send = (event: FormEvent) => {
    event.preventDefault()
    setTold(true)
    if (json === undefined) Object.keys(problems).length === 0 && onSubmit(input)
    else if (!wrong) onSubmit(JSON.parse(json))
  }
  const toForm = (text: string) => {
    setValues((isJson(text) ? toValues(fields, JSON.parse(text)) : undefined) ?? values)
    setJson(undefined)
  }
  return (
    <form data-tw-part="schema-form" noValidate onSubmit={send}>
      {json === undefined ? (
        <Fields
          {...{ t, fields, values, initial, plain }}
          problems={told ? problems : {}}
          onChange={setValues}
        />
      ) : (
        <JsonField t={t} text={json} wrong={wrong} onChange={setJson} />
      )}
      <div data-tw-part="form-actions">
        <button type="submit" data-tw-part="submit" disabled={busy || wrong}>
          {busy ? t('approval.sending') : submit}
        </button>
        {!plain && (
          <button
            type="button"
            data-tw-part="as-json"
            disabled={busy}
            onClick={() => (json === undefined ? setJson(JSON.stringify(input, null, 2)) : toForm(json))}
          >
            {t(json === undefined ? 'form.as_json' : 'form.as_form')}
          </button>
        )}
        {onCancel && (
          <button type="button" data-tw-part="back" disabled={busy} onClick={onCancel}>
            {t('common.cancel')}
          </button>
        )}
        {wrong && <p data-tw-part="error">{t('form.json')}</p>}
      </div>
    </form>
  )
}

interface JsonFieldProps {
  readonly t: Translate
  readonly text: string
  readonly wrong: boolean
  readonly onChange: (text: string) => void
}

function JsonField({ t, text, wrong, onChange }: JsonFieldProps) {
  return (
    <label data-tw-part="field" data-kind="json">
      <span data-tw-part="field-name">JSON</span>
      <textarea
        rows={8}
        value={text}
        spellCheck={false}
        aria-invalid={wrong}
        onChange={event => onChange(event.target.value)}
      />
      <MarkedValue text={text} t={t} />
    </label>
  )
}

interface FieldsProps {
  readonly t: Translate
  readonly fields: readonly FormField[]
  readonly values: FormValues
  readonly initial: unknown
  readonly plain: boolean
  readonly problems: Readonly<Record<string, FormProblem>>
  readonly onChange: (values: FormValues) => void
}

function Fields({ t, fields, values, initial, plain, problems, onChange }: FieldsProps) {
  // Decided once: a field must not move away while it is being emptied.
  const [first] = useState(() => new Set(Object.keys(initialValues(fields, initial))))
  const isShown = ({ name, required }: FormField) => initial === undefined || required || first.has(name)
  const draw = (field: FormField) => (
    <Field
      key={field.name}
      {...{ t, field, plain }}
      value={values[field.name] ?? ''}
      problem={problems[field.name]}
      onChange={text => onChange({ ...values, [field.name]: text })}
    />
  )
  const shown = fields.filter(isShown)
  return (
    <>
      {shown.map(draw)}
      {shown.length < fields.length && (
        <details data-tw-part="more-fields">
          <summary>{t('form.more')}</summary>
          {fields.filter(field => !isShown(field)).map(draw)}
        </details>
      )}
    </>
  )
}

interface FieldProps {
  readonly t: Translate
  readonly field: FormField
  readonly plain: boolean
  readonly value: string
  readonly problem: FormProblem | undefined
  readonly onChange: (text: string) => void
}

function Field(props: FieldProps) {
  const { t, field, problem } = props
  const id = useId()
  return (
    <div data-tw-part="field" data-kind={field.kind}>
      <label htmlFor={id}>
        <span data-tw-part="field-name">{field.title}</span>
        {!props.plain && <span data-tw-part="field-type">{field.kind === 'choice' ? '' : field.type}</span>}
        {field.required && <em>{t('form.needed')}</em>}
      </label>
      <Control {...props} id={id} />
      <MarkedValue text={props.value} t={t} />
      {field.description !== '' && (
        <p data-tw-part="field-note" id={`${id}-note`}>
          {field.description}
        </p>
      )}
      {problem && (
        <p data-tw-part="error" role="alert">
          {t(`form.${problem}`)}
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
    'aria-describedby': field.description === '' ? undefined : `${id}-note`,
  }
  switch (field.kind) {
    case 'choice':
    case 'boolean':
      return (
        <select {...shared} onChange={event => onChange(event.target.value)}>
          <option value="">—</option>
          {field.options.map(option => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )
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
