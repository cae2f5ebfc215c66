/**
 * Very many tools would fill the model's context before the first message. Then they are deferred: the model gets
 * one tool that finds the others, and found tools are sent from then on.
 */
import type { Tool } from '@toolwire/core'
import { safeHead } from '@toolwire/core'
import { defineTool } from '@toolwire/tools'
import { LOADED_NOTE, loadedTools } from '@toolwire/tools/internal'
import { z } from 'zod'

const DEFER_ABOVE = 50
const MAX_FOUND = 10
const MAX_SHOWN = 4_000

const Input = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(500)
    .describe('Words that describe what the tool should do, or select:name,name for tools known by name'),
  max_results: z.number().int().min(1).max(MAX_FOUND).optional().describe('5 when absent'),
})

/** All of them, when there are few; otherwise all of them untold, behind one that finds them. */
export function deferMany(tools: readonly Tool[], above = DEFER_ABOVE): readonly Tool[] {
  if (tools.length <= above) return tools
  return [...tools.map(tool => ({ ...tool, deferred: true })), createSearchTool(tools)]
}

function createSearchTool(tools: readonly Tool[]): Tool {
  const servers = [...new Set(tools.map(tool => tool.server))].join(', ')
  return defineTool({
    name: 'ToolSearch',
    title: 'Find tools',
    type: 'builtin',
    description: `Finds tools among the ${tools.length} of the MCP servers ${safeHead(servers, 500)}. They are not listed here; search for one before you say that something cannot be done. What is found can be called from the next message on.`,
    input: Input,
    isReadOnly: () => true,
    may_repeat: true,
    async *call({ query, max_results = 5 }, { notes }) {
      const found = findTools(tools, query, max_results)
      if (found.length > 0)
        notes.set(LOADED_NOTE, [
          ...new Set([...loadedTools(notes.get(LOADED_NOTE)), ...found.map(one => one.name)]),
        ])
      yield {
        type: 'result',
        output_text:
          found.length > 0 ? found.map(show).join('\n\n') : `No tool fits ${JSON.stringify(query)}.`,
        structured: { tools: found.map(one => one.name), of: tools.length },
      }
    },
  }) as Tool
}

const show = (tool: Tool): string =>
  safeHead(
    `${tool.name}: ${describe(tool)}\nArguments (JSON Schema): ${JSON.stringify(tool.input_schema)}`,
    MAX_SHOWN,
  )

const describe = ({ description }: Tool): string => (typeof description === 'string' ? description : '')

/**
 * The best first: a word in the name scores higher than one in the description, a rare one higher than a common
 * one.
 */
function findTools(tools: readonly Tool[], query: string, max: number): readonly Tool[] {
  const chosen = /^select:(.+)$/.exec(query.trim())?.[1]
  if (chosen) {
    const names = new Set(chosen.split(',').map(name => name.trim()))
    return tools.filter(tool => names.has(tool.name)).slice(0, MAX_FOUND)
  }
  const words = [...new Set(wordsOf(query))]
  const texts = tools.map(tool => ({ name: wordsOf(tool.name), text: wordsOf(describe(tool)) }))
  const weight = new Map(
    words.map(word => {
      const holders = texts.filter(one => has(one.name, word) || has(one.text, word)).length
      return [word, Math.log(1 + tools.length / (1 + holders))]
    }),
  )
  const scored = tools.map((tool, i) => {
    const { name = [], text = [] } = texts[i] ?? {}
    const score = words.reduce(
      (sum, word) => sum + (weight.get(word) ?? 0) * (Number(has(name, word)) * 3 + Number(has(text, word))),
      0,
    )
    return { tool, score }
  })
  return scored
    .filter(one => one.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, max)
    .map(one => one.tool)
}

const has = (words: readonly string[], word: string): boolean => words.some(one => one.startsWith(word))

/** Words of names too: `createIssue`, `create_issue`. Han characters count one by one. */
const wordsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? []
