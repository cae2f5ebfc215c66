/** Checks if a tool has a page before one of its calls does: by the list of tools, which is read once. */
import { useEffect, useState } from 'react'
import { client } from '../client.ts'

let known: Promise<ReadonlySet<string>> | undefined

async function readNames(): Promise<ReadonlySet<string>> {
  const tools = await client.tools()
  return new Set(tools.flatMap(tool => ('page' in tool && tool.page === true ? [tool.name] : [])))
}

/** False until it is known, and for ''. */
export function useToolPage(tool: string): boolean {
  const [has, setHas] = useState(false)
  useEffect(() => {
    if (tool === '') return setHas(false)
    let over = false
    known ??= readNames()
    known.then(
      names => {
        if (!over) setHas(names.has(tool))
      },
      () => {
        // Asked again by the next call.
        known = undefined
      },
    )
    return () => {
      over = true
    }
  }, [tool])
  return has
}
