/** The source of a server and its access, without secrets. */
import { pathToFileURL } from 'node:url'
import type { McpServerConfig } from './server-config.ts'

/** The command line, or the address without its query. */
export function sourceOf(config: McpServerConfig): string {
  if (config.type === 'in_process') return 'this process'
  if (config.type === 'stdio') return [config.command, ...config.args].join(' ')
  const { origin, pathname } = new URL(config.url)
  return origin + pathname
}

/** A folder as the protocol names it. */
export const toRootUri = (path: string): string => pathToFileURL(path).href
