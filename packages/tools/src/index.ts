/** The tool system, for the composition root and for authors of tools. */

export { AGENT_TYPES, type AgentType, type AgentTypes } from './agents/agent-type.ts'
export { findAgents, projectAgentFiles } from './agents/find-agents.ts'
export { artifactFile } from './bound-output.ts'
export { type AgentOptions, createAgentTool } from './builtin/agent.ts'
export { type ArchitectOptions, createArchitectTool } from './builtin/architect.ts'
export { BUILTIN_NAMES, type BuiltinName } from './builtin/builtin-names.ts'
export { type BuiltinOptions, createBuiltinTools } from './builtin/builtin-tools.ts'
export type { MemoryOptions } from './builtin/memory.ts'
export { stickerForm, stickerRequest, toStickerAnswer } from './builtin/sticker-request.ts'
export type { WebFetchOptions } from './builtin/web-fetch.ts'
export type { WebSearchOptions } from './builtin/web-search.ts'
export { nearest } from './checks/nearest.ts'
export { createToolSystem, type ServedTools, type ToolSystemOptions } from './create-tool-system.ts'
export { defineRawTool, defineTool } from './define-tool.ts'
export { createDiskQuota, type DiskLimits, type DiskQuota } from './disk-quota.ts'
export type { RehearseRequest, RuleDryRun } from './dry-run-rule.ts'
export {
  type BrowsedEntry,
  type BrowsedFolder,
  type BrowseRequest,
  createFileBrowser,
  type FileBrowser,
} from './files/browse-files.ts'
export { createDiagnostics } from './files/diagnostics.ts'
export { canonicalPath, isInsideRoots } from './files/resolve-path.ts'
export { gitEnvironment } from './git/git-environment.ts'
export type { HooksConfig } from './hooks/hook-config.ts'
export { createMemoryStore, type MemoryStore } from './memory/memory-store.ts'
export { createOwnTools, type OwnTools, type OwnToolsOptions } from './own/own-tools.ts'
export type { ToolKit } from './own/tool-kit.ts'
export type { PermissionExplanation } from './permissions/explain-permission.ts'
export type { ListedRule } from './permissions/listed-rule.ts'
export type { RevokeResult } from './permissions/permissions.ts'
export { programsIn } from './permissions/programs-in.ts'
export { createProjectRules, type ProjectRules } from './permissions/project-rules.ts'
export { createPromptSource, type PromptSettings } from './prompt/make-context.ts'
export { projectRoot, readInstructions } from './prompt/project-files.ts'
export type { OwnerPrompt } from './prompt/project-part.ts'
export { answerRules } from './questions/answer-rules.ts'
export { readFormAnswer } from './questions/form-answer.ts'
export { OWN_TOOLS } from './registry.ts'
export { openFile } from './safe-files/open-file.ts'
export { ripgrepPath } from './search/ripgrep.ts'
export { createBackgroundTasks } from './shell/background-tasks.ts'
export { isSecretVariable } from './shell/environment.ts'
export { describeSandbox, findSandbox, type SandboxOptions } from './shell/sandbox.ts'
export { TASK_NOTE, type WatchedTask } from './shell/task-watch.ts'
export { findSkills, projectSkillFiles, type SkillSet } from './skills/find-skills.ts'
export { type SweepOptions, sweepArtifacts } from './sweep-artifacts.ts'
export { toolEffect } from './tool-effect.ts'
export { renderToolsDoc } from './tools-doc.ts'
export { tryModel } from './try-model.ts'
export {
  createUndo,
  type Undo,
  type UndoDeps,
  type UndoneFile,
  type UndoResult,
  type UndoScope,
} from './undo/undo.ts'
export { addressesOf, bareHost, pinned } from './web/reach.ts'
