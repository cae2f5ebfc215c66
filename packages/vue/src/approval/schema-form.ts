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
import { computed, defineComponent, shallowRef, useId, type VNode } from 'vue'
import { markedValue } from '../output/marked-value.ts'
import { h } from '../shared/h.ts'

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

export const SchemaForm = defineComponent(
  (props: SchemaFormProps) => {
    const fields = computed(() => formFields(props.schema))
    const values = shallowRef<FormValues>(initialValues(fields.value, props.initial))
    const json = shallowRef<string | undefined>(undefined)
    const told = shallowRef(false)
    const read = computed(() => toInput(fields.value, values.value, props.initial))
    const wrong = computed(() => json.value !== undefined && !isJson(json.value))
    const send = (event: Event) => {
      event.preventDefault()
      told.value = true
      if (json.value === undefined) {
        if (Object.keys(read.value.problems).length === 0) props.onSubmit(read.value.input)
      } else if (!wrong.value) props.onSubmit(JSON.parse(json.value))
    }
    const turn = () => {
      const text = json.value
      if (text !== undefined && isJson(text))
        values.value = toValues(fields.value, JSON.parse(text)) ?? values.value
      json.value = text === undefined ? JSON.stringify(read.value.input, null, 2) : undefined
    }
    const button = (part: string, words: string, onClick: () => void): VNode =>
      h('button', { type: 'button', 'data-tw-part': part, disabled: props.busy, onClick }, words)
    const actions = ({ t, busy, submit, onCancel }: SchemaFormProps) =>
      h('div', { 'data-tw-part': 'form-actions' }, [
        h(
          'button',
          { type: 'submit', 'data-tw-part': 'submit', disabled: busy || wrong.value },
          busy ? t('approval.sending') : submit,
        ),
        props.plain === true
          ? null
          : button('as-json', t(json.value === undefined ? 'form.as_json' : 'form.as_form'), turn),
        onCancel ? button('back', t('common.cancel'), onCancel) : null,
        wrong.value ? h('p', { 'data-tw-part': 'error' }, t('form.json')) : null,
      ])
    return () =>
      h('form', { 'data-tw-part': 'schema-form', novalidate: '', onSubmit: send }, [
        json.value === undefined
          ? h(Fields, {
              t: props.t,
              fields: fields.value,
              values: values.value,
              initial: props.initial,
              plain: props.plain === true,
              problems: told.value ? read.value.problems : {},
              onChange: (next: FormValues) => {
                values.value = next
              },
            })
          : jsonField({ text: json.value, wrong: wrong.value, t: props.t }, text => {
              json.value = text
            }),
        actions(props),
      ])
  },
  {
    name: 'SchemaForm',
    props: ['schema', 't', 'submit', 'busy', 'onSubmit', 'onCancel', 'initial', 'plain'],
  },
)

const typed = (onChange: (text: string) => void) => (event: Event) =>
  onChange((event.target as HTMLTextAreaElement).value)

interface JsonField {
  readonly text: string
  readonly wrong: boolean
  readonly t: Translate
}

const jsonField = ({ text, wrong, t }: JsonField, onChange: (text: string) => void): VNode =>
  h('label', { 'data-tw-part': 'field', 'data-kind': 'json' }, [
    h('span', { 'data-tw-part': 'field-name' }, 'JSON'),
    h('textarea', {
      rows: 8,
      value: text,
      spellcheck: 'false',
      'aria-invalid': wrong,
      onInput: typed(onChange),
    }),
    markedValue(text, t),
  ])

interface FieldsProps {
  readonly t: Translate
  readonly fields: readonly FormField[]
  readonly values: FormValues
  readonly initial: unknown
  readonly plain: boolean
  readonly problems: Readonly<Record<string, FormProblem>>
  readonly onChange: (values: FormValues) => void
}

const Fields = defineComponent(
  (props: FieldsProps) => {
    // Decided once: a field must not move away while it is being emptied.
    const first = new Set(Object.keys(initialValues(props.fields, props.initial)))
    const isShown = ({ name, required }: FormField) =>
      props.initial === undefined || required || first.has(name)
    const draw = (field: FormField) =>
      h(Field, {
        key: field.name,
        t: props.t,
        field,
        plain: props.plain,
        value: props.values[field.name] ?? '',
        problem: props.problems[field.name],
        onChange: (text: string) => props.onChange({ ...props.values, [field.name]: text }),
      })
    return () => {
      const { fields, t } = props
      const rest = fields.filter(field => !isShown(field))
      return [
        ...fields.filter(isShown).map(draw),
        rest.length > 0
          ? h('details', { 'data-tw-part': 'more-fields' }, [h('summary', t('form.more')), ...rest.map(draw)])
          : null,
      ]
    }
  },
  { name: 'Fields', props: ['t', 'fields', 'values', 'initial', 'plain', 'problems', 'onChange'] },
)

interface FieldProps {
  readonly t: Translate
  readonly field: FormField
  readonly plain: boolean
  readonly value: string
  readonly problem: FormProblem | undefined
  readonly onChange: (text: string) => void
}

const Field = defineComponent(
  (props: FieldProps) => {
    const id = useId()
    return () => {
      const { t, field, problem } = props
      return h('div', { 'data-tw-part': 'field', 'data-kind': field.kind }, [
        h('label', { for: id }, [
          h('span', { 'data-tw-part': 'field-name' }, field.title),
          props.plain
            ? null
            : h('span', { 'data-tw-part': 'field-type' }, field.kind === 'choice' ? '' : field.type),
          field.required ? h('em', t('form.needed')) : null,
        ]),
        control(props, id),
        markedValue(props.value, t),
        field.description === ''
          ? null
          : h('p', { 'data-tw-part': 'field-note', id: `${id}-note` }, field.description),
        problem ? h('p', { 'data-tw-part': 'error', role: 'alert' }, t(`form.${problem}`)) : null,
      ])
    }
  },
  { name: 'Field', props: ['t', 'field', 'plain', 'value', 'problem', 'onChange'] },
)

function control({ field, value, problem, onChange }: FieldProps, id: string): VNode {
  const shared = {
    id,
    'aria-invalid': problem !== undefined,
    'aria-describedby': field.description === '' ? undefined : `${id}-note`,
  }
  const onInput = typed(onChange)
  switch (field.kind) {
    case 'choice':
    case 'boolean':
      return h('select', { ...shared, onChange: onInput }, [
        h('option', { value: '', selected: value === '' }, '—'),
        ...field.options.map(option =>
          h(
            'option',
            { key: option.value, value: option.value, selected: value === option.value },
            option.label,
          ),
        ),
      ])
    case 'number':
      return h('input', {
        ...shared,
        value,
        inputmode: field.integer ? 'numeric' : 'decimal',
        autocomplete: 'off',
        onInput,
      })
    case 'text':
    case 'json':
      return h('textarea', {
        ...shared,
        value,
        rows: Math.min(8, Math.max(field.kind === 'json' ? 2 : 1, value.split('\n').length)),
        spellcheck: 'false',
        onInput,
      })
  }
}
