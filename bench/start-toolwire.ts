/** The product as a measured server: the real command, on a durable log in a temporary folder. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from '../scripts/root.ts'
import { freePort, type Subject, startSubject } from './spawn-subject.ts'

/** Node arguments for running the command from its sources, unbuilt. */
export const SOURCES: readonly string[] = [
  '--conditions=toolwire-source',
  join(ROOT, 'packages/cli/src/main.ts'),
]

const CONFIG = 'toolwire.config.json'

export interface ToolwireSetting {
  /** Node arguments: its flags and the program. The sources if absent. */
  readonly command?: readonly string[]
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Files that its folder holds before it starts, by their paths in there. */
  readonly files?: Readonly<Record<string, string>>
  /** The location of its log; its own folder if absent. */
  readonly data?: string
}

/** Its folder goes when it is stopped. */
export async function startToolwire(setting: ToolwireSetting): Promise<Subject> {
  const { command = SOURCES, flags = [], env = {}, files = {} } = setting
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const port = await freePort()
  const place = ['--port', String(port), '--data', setting.data ?? join(folder, 'data'), '--no-open']
  return await startSubject({
    args: [...command, ...place, ...flags],
    port,
    cwd: folder,
    env: CONFIG in files ? { TOOLWIRE_CONFIG: CONFIG, ...env } : env,
    cleanUp: () => rmSync(folder, { recursive: true, force: true }),
  })
}

/** Both providers pointed at `upstream`. */
export const behind = (upstream: string): Pick<ToolwireSetting, 'flags' | 'env'> => ({
  flags: ['--model', 'claude-bench'],
  env: {
    ANTHROPIC_API_KEY: 'k',
    ANTHROPIC_BASE_URL: upstream,
    OPENAI_API_KEY: 'k',
    OPENAI_BASE_URL: `${upstream}/v1`,
  },
})

/** As a user adds a tool: read-only, and it takes as long as its arguments say. */
const ECHO = `
export const tool = ({ defineTool, z }) => defineTool({
  name: 'echo',
  description: 'Echo',
  input: z.object({ n: z.number(), ms: z.number(), data: z.string() }),
  isReadOnly: () => true,
  async *call({ n, ms }) {
    if (ms > 0) await new Promise(resolve => setTimeout(resolve, ms))
    yield { type: 'result', output_text: 'done ' + n }
  },
})
`

const withTool = (source: string): Pick<ToolwireSetting, 'files'> => ({
  files: {
    'tools/echo.js': source,
    'toolwire.config.json': JSON.stringify({ tools: ['./tools'], maxTurns: 1000 }),
  },
})

/** The tool that the provider of the benchmarks calls, and leave to call it as often as it wants. */
export const WITH_ECHO = withTool(ECHO)

/** The same tool, whose calls all end once so many have begun: no matter how slow the machine is, they run side by side. */
export const withGatheringEcho = (calls: number): Pick<ToolwireSetting, 'files'> =>
  withTool(
    `let begun = 0
const gathered = Promise.withResolvers()
${ECHO.replace(
  'if (ms > 0) await new Promise(resolve => setTimeout(resolve, ms))',
  `begun += 1
    if (begun === ${calls}) gathered.resolve()
    await gathered.promise`,
)}`,
  )

/** The same tool, each call of which waits for an approval. */
export const WITH_ASKING_ECHO = withTool(ECHO.replace('  isReadOnly: () => true,\n', ''))
