/** The built-in tools of every server, in the order sent to models. */
import type { Tool } from '@toolwire/core'
import type { Diagnostics } from '../files/diagnostics.ts'
import { type BackgroundTasks, createBackgroundTasks } from '../shell/background-tasks.ts'
import { type AgentOptions, createAgentTool } from './agent.ts'
import { type ArchitectOptions, createArchitectTool } from './architect.ts'
import { createAskUserQuestionTool } from './ask-user-question.ts'
import { type BashOptions, createBashTool } from './bash.ts'
import { createClockTool } from './clock.ts'
import { createEditTool } from './edit.ts'
import { createGlobTool } from './glob.ts'
import { createGrepTool } from './grep.ts'
import { createLsTool } from './ls.ts'
import { createMemoryTools, type MemoryOptions } from './memory.ts'
import { createNotebookEditTool } from './notebook-edit.ts'
import { createNotebookReadTool } from './notebook-read.ts'
import { createReadTool } from './read.ts'
import { createSkillTool } from './skill.ts'
import { createStickerRequestTool } from './sticker-request.ts'
import { createTaskTools } from './tasks.ts'
import { createThinkTool } from './think.ts'
import { createTodoWriteTool } from './todo-write.ts'
import { createWebFetchTool, type WebFetchOptions } from './web-fetch.ts'
import { createWebSearchTools, type WebSearchOptions } from './web-search.ts'
import { createWriteTool } from './write.ts'

export interface BuiltinOptions {
  readonly bash?: Omit<BashOptions, 'tasks'>
  /** Commands in the background. Made here when absent; then a restart does not look after them. */
  readonly tasks?: BackgroundTasks
  readonly now?: () => Date
  /** Asked about every file after Edit or Write changed it. */
  readonly diagnostics?: Diagnostics | undefined
  /** Models that think by themselves and are not offered Think. */
  readonly hides_think?: ((model: string) => boolean) | undefined
  readonly agent?: AgentOptions
  /** Offered only when set. */
  readonly architect?: ArchitectOptions
  /** MemoryRead and MemoryWrite; offered only when set. */
  readonly memory?: MemoryOptions | undefined
  /** Offered only when it names an engine. */
  readonly web_search?: WebSearchOptions | undefined
  readonly web_fetch?: WebFetchOptions | undefined
  /** Offered only when true. */
  readonly sticker_request?: boolean | undefined
}

export function createBuiltinTools(options: BuiltinOptions = {}): readonly Tool[] {
  const tasks = options.tasks ?? createBackgroundTasks()
  return [
    createBashTool({ ...options.bash, tasks }),
    createGlobTool(),
    createGrepTool(),
    createLsTool(),
    createReadTool(),
    createEditTool({ diagnostics: options.diagnostics }),
    createWriteTool({ diagnostics: options.diagnostics }),
    createNotebookReadTool(),
    createNotebookEditTool(),
    createWebFetchTool(options.web_fetch),
    ...createWebSearchTools(options.web_search ?? {}),
    ...(options.memory ? createMemoryTools(options.memory) : []),
    createSkillTool(),
    createTodoWriteTool(),
    createThinkTool(options.hides_think),
    createAskUserQuestionTool(),
    createClockTool(options.now),
    ...createTaskTools(tasks),
    createAgentTool({ sandbox: options.bash?.sandbox, ...options.agent }),
    ...(options.architect ? [createArchitectTool(options.architect)] : []),
    ...(options.sticker_request ? [createStickerRequestTool()] : []),
  ]
}
