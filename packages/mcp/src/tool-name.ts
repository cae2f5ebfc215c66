/** Names of MCP tools for models: accepted by every provider, and unique. */
import { createHash } from 'node:crypto'

/** The shortest limit of the providers. */
const MAX_NAME = 64

/** `mcp__server__tool`, other characters as `_`; too long ones end in a hash of the whole. Pure. */
export function toolName(server: string, tool: string): string {
  const name = `mcp__${plain(server)}__${plain(tool)}`
  if (name.length <= MAX_NAME) return name
  const hash = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8)
  return `${name.slice(0, MAX_NAME - 9)}_${hash}`
}

/** The name, or the name with the first number that is free. Adds what it gives to `taken`. */
export function uniqueName(name: string, taken: Set<string>): string {
  let free = name
  for (let n = 2; taken.has(free); n++) {
    const suffix = `_${n}`
    free = `${name.slice(0, MAX_NAME - suffix.length)}${suffix}`
  }
  taken.add(free)
  return free
}

const plain = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/g, '_')
