/** The kit for users' own tools, and the checks on the exports of their files. */
import type { Tool } from '@toolwire/core'
import { z } from 'zod'
import { defineRawTool, defineTool } from '../define-tool.ts'

/** Handed to the function that a tool's file exports, so that the file needs nothing installed beside it. */
export interface ToolKit {
  readonly defineTool: typeof defineTool
  readonly defineRawTool: typeof defineRawTool
  readonly z: typeof z
}

const KIT: ToolKit = { defineTool, defineRawTool, z }
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/**
 * The tools of a module: its `tool`, its `tools`, or its default export; each a tool, a list of
 * them, or a function of the kit that returns one of these. Throws a sentence that says what is wrong.
 */
export async function toolsOf(module: Readonly<Record<string, unknown>>): Promise<readonly Tool[]> {
  const exported = module['tool'] ?? module['tools'] ?? module['default']
  if (exported === undefined) throw new Error('it exports neither tool nor tools')
  const made: unknown = typeof exported === 'function' ? await exported(KIT) : exported
  const list: readonly unknown[] = Array.isArray(made) ? made : [made]
  return list.map(checkTool)
}

function checkTool(value: unknown): Tool {
  const tool = value as Partial<Tool> | null
  if (typeof tool !== 'object' || tool === null || typeof tool.name !== 'string')
    throw new Error('what it exports is no tool; make it with defineTool')
  const { name } = tool
  if (!NAME.test(name)) throw new Error(`the name ${JSON.stringify(name)} is not letters, digits, _ and -`)
  if (name.startsWith('mcp__')) throw new Error(`${name}: names that begin with mcp__ are for MCP servers`)
  for (const part of ['check', 'call', 'isReadOnly'] as const)
    if (typeof tool[part] !== 'function') throw new Error(`${name} has no ${part}; make it with defineTool`)
  // A schema without a JSON form throws here, where the file can be named, and not when the tool is sent to a model.
  if (typeof tool.input_schema !== 'object')
    throw new Error(`${name} has no input_schema; make it with defineTool`)
  return tool as Tool
}
