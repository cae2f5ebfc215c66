/** Toolwire as a library: `import { createToolwire, defineTool } from 'toolwire'`. Importing it does nothing. */
export { type Client, ToolwireError } from '@toolwire/client'
export {
  AppError,
  type Model,
  type ModelFinder,
  type ModelPart,
  type ModelRequest,
  type Records,
  type Store,
  type Tool,
  type ToolContext,
  type ToolStep,
} from '@toolwire/core'
export type { AiSdkLanguageModel } from '@toolwire/models'
export type { Authenticate, Logger, Scope, SignedIn, SignInRequest } from '@toolwire/server'
export { defineRawTool, defineTool, type ToolKit } from '@toolwire/tools'
export {
  createToolwire,
  type ListenOptions,
  type ProcessCaller,
  type Toolwire,
} from './library/create-toolwire.ts'
export type {
  LimitOptions,
  RuleOption,
  StoreOption,
  ToolwireOptions,
} from './library/toolwire-options.ts'
