/** The prompt of agent sessions, by the settings. */
import { join } from 'node:path'
import type { PromptSource } from '@toolwire/core'
import { canonicalPath, createPromptSource, describeSandbox } from '@toolwire/tools'
import type { ProductMachine } from './compose-machine.ts'
import type { Config } from './config.ts'

/** The operator chose the workspace, so its instruction files are loaded; others need to be named. */
export function composePrompt(
  { prompt }: Pick<Config, 'prompt'>,
  workspace: string,
  artifacts: string,
  { options }: Pick<ProductMachine, 'options'>,
): PromptSource {
  const sandbox = options.bash?.sandbox
  return createPromptSource({
    ...(prompt.name === undefined ? {} : { name: prompt.name }),
    ...(prompt.instructions === undefined ? {} : { instructions: prompt.instructions }),
    trusted: [workspace, ...prompt.trusted].map(canonicalPath),
    sandbox,
    artifacts: join(artifacts, 'prompt'),
    async describeSandbox() {
      const { enabled, available, network } = await describeSandbox(sandbox)
      if (!enabled || !available) return 'none; commands run as the user of the server'
      return `commands write the workspace alone; network ${network ? 'on' : 'off'}`
    },
  })
}
