/** The prompt of agent sessions, by the settings. */
import { join } from 'node:path'
import type { PromptSource } from '@toolwire/core'
import {
  canonicalPath,
  createPromptSource,
  describeSandbox,
  type PromptSettings,
  projectAgentFiles,
  projectRoot,
  projectSkillFiles,
  readInstructions,
} from '@toolwire/tools'
import type { ProductMachine } from './compose-machine.ts'
import type { Config } from './config.ts'

const NO_SANDBOX = { available: false, network: false }

/** The operator chose the workspace, so its instruction files are loaded; others need to be named. */
export function composePrompt(
  { prompt, data, skills }: Pick<Config, 'prompt' | 'data' | 'skills'>,
  workspace: string,
  artifacts: string,
  {
    options,
    ownerOf,
    explain,
  }: Pick<ProductMachine, 'options'> & Pick<PromptSettings, 'ownerOf' | 'explain'>,
): PromptSource {
  const sandbox = options.bash?.sandbox
  return createPromptSource({
    ...(prompt.name === undefined ? {} : { name: prompt.name }),
    ...(prompt.instructions === undefined ? {} : { instructions: prompt.instructions }),
    ...(ownerOf === undefined ? {} : { ownerOf }),
    ...(explain === undefined ? {} : { explain }),
    hidden: [canonicalPath(data)],
    skills: skills.folders,
    trusted: [workspace, ...prompt.trusted].map(canonicalPath),
    sandbox,
    artifacts: join(artifacts, 'prompt'),
    async describeSandbox() {
      // Asking starts a process.
      const { available, network } = sandbox ? await describeSandbox(sandbox) : NO_SANDBOX
      if (!available) return 'none; commands run as the user of the server'
      return `commands write the workspace alone; network ${network ? 'on' : 'off'}`
    },
  })
}

/** The instruction files, skills and agents of a folder with their hashes, for routes that trust it. */
export async function inspectInstructions(path: string) {
  const { files, warnings } = await readInstructions(path)
  const skills = await projectSkillFiles(path)
  const agents = await projectAgentFiles(path)
  return {
    root: projectRoot(path),
    files: [...files, ...skills, ...agents].map(file => ({ path: file.path, sha256: file.sha256 })),
    warnings,
  }
}
