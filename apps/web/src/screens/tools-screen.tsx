/** The tools that models are offered, with their arguments. */
import type { ToolSpec } from '@toolwire/core'
import { useEffect, useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { client } from '../client.ts'
import { useWords } from '../strings/use-words.ts'
import { ScreenHeader } from './screen-header.tsx'

export function ToolsScreen({ onMenu }: { readonly onMenu: () => void }) {
  const { t, a } = useWords()
  const [tools, setTools] = useState<readonly ToolSpec[] | undefined>(undefined)
  const [error, setError] = useState('')
  const [text, setText] = useState('')
  useEffect(() => {
    client.tools().then(setTools, (thrown: unknown) => {
      setError(thrown instanceof Error ? thrown.message : String(thrown))
    })
  }, [])
  const wanted = text.trim().toLowerCase()
  const shown = tools?.filter(tool => `${tool.name} ${tool.description ?? ''}`.toLowerCase().includes(wanted))
  return (
    <>
      <ScreenHeader title={t('tools.title')} onMenu={onMenu} />
      <div className="page">
        <p className="lead">{a('tools.lead')}</p>
        <label className="search">
          <AppIcon name="search" />
          <input
            type="search"
            placeholder={a('tools.search')}
            aria-label={a('tools.search')}
            value={text}
            onChange={event => setText(event.target.value)}
          />
        </label>
        {error !== '' && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
        {tools?.length === 0 && <p className="empty">{a('tools.empty')}</p>}
        {shown?.map(tool => (
          <Tool key={tool.name} tool={tool} />
        ))}
      </div>
    </>
  )
}

function Tool({ tool }: { readonly tool: ToolSpec }) {
  const { a } = useWords()
  const fields = fieldsOf(tool)
  const [first = '', ...rest] = (tool.description ?? '').split('\n')
  return (
    <details className="tool">
      <summary>
        <strong>{tool.name}</strong>
        <span>{first}</span>
      </summary>
      {rest.join('').trim() !== '' && <p className="tool-description">{rest.join('\n').trim()}</p>}
      {fields.length === 0 ? (
        <p className="quiet">{a('tools.none')}</p>
      ) : (
        <table>
          <caption>{a('tools.arguments')}</caption>
          <tbody>
            {fields.map(field => (
              <tr key={field.name}>
                <th scope="row">
                  <code>{field.name}</code>
                </th>
                <td>
                  <code>{field.type}</code>
                  {field.required && <em>{a('tools.required')}</em>}
                </td>
                <td>{field.description}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </details>
  )
}

interface Field {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

/** The top level of the schema: names, types and words; what is nested is named by its type only. */
function fieldsOf({ input_schema }: ToolSpec): readonly Field[] {
  const properties = asObject(input_schema['properties'])
  const required = Array.isArray(input_schema['required']) ? input_schema['required'] : []
  return Object.entries(properties).map(([name, value]) => {
    const schema = asObject(value)
    return {
      name,
      type: typeOf(schema),
      required: required.includes(name),
      description: typeof schema['description'] === 'string' ? schema['description'] : '',
    }
  })
}

function typeOf(schema: Readonly<Record<string, unknown>>): string {
  const { type } = schema
  if (Array.isArray(schema['enum'])) return schema['enum'].map(value => JSON.stringify(value)).join(' | ')
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'].map(part => typeOf(asObject(part))).join(' | ')
  if (type === 'array') return `${typeOf(asObject(schema['items']))}[]`
  return Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : 'any'
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
