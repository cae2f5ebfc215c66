/** The tools that models are offered, with their arguments, and a form to try each of them. */
import type { ToolSpec } from '@toolwire/core'
import { formFields } from '@toolwire/core/parts'
import { useState } from 'react'
import { AppIcon } from '../app-icon.tsx'
import { client } from '../client.ts'
import { useStrings } from '../strings/use-strings.ts'
import { useLoaded } from '../use-loaded.ts'
import { ScreenHeader } from './screen-header.tsx'
import { riskOf } from './tool-risk.ts'
import { readToolFigures, type ToolStats } from './tool-stats.ts'
import { TryTool } from './try-tool.tsx'

const readTools = () => client.tools()

export function ToolsScreen({ onMenu }: { readonly onMenu: () => void }) {
  const { a } = useStrings()
  const { data: tools, error } = useLoaded(readTools)
  const { data: figures } = useLoaded(readToolFigures)
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const shown = tools?.filter(tool => `${tool.name} ${tool.description ?? ''}`.toLowerCase().includes(wanted))
  return (
    <>
      <ScreenHeader title={a('tools.title')} onMenu={onMenu} />
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
          <Tool key={tool.name} tool={tool} figures={figures?.get(tool.name)} />
        ))}
      </div>
    </>
  )
}

interface ToolProps {
  readonly tool: ToolSpec
  /** Undefined before the first call, or without permission. */
  readonly figures: ToolStats | undefined
}

/** Its content exists only while it is open: a server may offer hundreds of tools. */
function Tool({ tool, figures }: ToolProps) {
  const [open, setOpen] = useState(false)
  const { a } = useStrings()
  const { server, name } = readName(tool.name)
  const risk = riskOf(tool)
  const [first = ''] = (tool.description ?? '').split('\n', 1)
  return (
    <details className="tool" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>{name}</strong>
        {server !== '' && <em className="tool-server">{server}</em>}
        <em className="tool-risk" data-risk={risk}>
          {a(`risk.${risk}`)}
        </em>
        <span>{first}</span>
      </summary>
      {open && <ToolDetails tool={tool} figures={figures} />}
    </details>
  )
}

function ToolDetails({ tool, figures }: ToolProps) {
  const { a } = useStrings()
  const [trying, setTrying] = useState(false)
  const fields = formFields(tool.input_schema)
  const rest = (tool.description ?? '').split('\n').slice(1).join('\n').trim()
  return (
    <div className="tool-details">
      {rest !== '' && <p className="tool-description">{rest}</p>}
      {figures && (
        <p className="quiet tool-figures">
          {a('tools.calls', { n: figures.calls })}
          {figures.failed > 0 && ` · ${a('tools.failed', { n: figures.failed })}`}
        </p>
      )}
      {fields.length === 0 ? (
        <p className="quiet">{a('tools.none')}</p>
      ) : (
        !trying && (
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
        )
      )}
      {trying ? (
        <TryTool tool={tool} />
      ) : (
        <button type="button" className="button" onClick={() => setTrying(true)}>
          {a('tools.try')}
        </button>
      )}
    </div>
  )
}

/** Tools of a connected server carry its name in theirs. */
function readName(full: string): { readonly server: string; readonly name: string } {
  const found = /^mcp__(.+?)__(.+)$/.exec(full)
  return { server: found?.[1] ?? '', name: found?.[2] ?? full }
}
