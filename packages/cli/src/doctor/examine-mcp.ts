/** The MCP servers of the configuration: whether a start takes their entries, and whether their programs are there. */
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { parseMcpServers } from '@toolwire/mcp'
import type { DoctorContext } from './doctor-context.ts'
import { bad, type Finding, good, note } from './finding.ts'

/** Starts nothing and sends no request. */
export function examineMcp({ config, env }: Pick<DoctorContext, 'config' | 'env'>): Finding {
  const { servers, problems } = parseMcpServers(config.mcpServers, env)
  if (problems[0] !== undefined) return bad(problems.join(' '), 'fix the entry, or set "disabled"')
  const names = Object.keys(servers)
  if (names.length === 0) return good('no MCP servers are configured')
  const absent = Object.entries(servers).flatMap(([name, server]) =>
    server.type === 'stdio' && !isProgram(server.command, { ...env, ...server.env }['PATH'] ?? '')
      ? [`${name} (${server.command})`]
      : [],
  )
  const what = `MCP servers: ${names.join(', ')}`
  return absent.length === 0
    ? good(what)
    : note(
        `${what}; the program of ${absent.join(', ')} is not found`,
        'install it; the server starts without',
      )
}

function isProgram(command: string, path: string): boolean {
  const places =
    isAbsolute(command) || command.includes('/')
      ? [resolve(command)]
      : path.split(delimiter).map(folder => join(folder, command))
  return places.some(place => {
    try {
      accessSync(place, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
