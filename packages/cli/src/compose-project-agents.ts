/** Agents in files of folders, for routes. */
import type { ProjectAgentPort } from '@toolwire/server'
import { canonicalPath, findAgents, isInsideRoots } from '@toolwire/tools'
import type { Config } from './config.ts'

/** The operator chose the workspace, so its agents are loaded, as those of the trusted folders are. */
export function serveProjectAgents(
  { data, prompt }: Pick<Config, 'data' | 'prompt'>,
  workspace: string,
): ProjectAgentPort {
  const folders = [workspace, ...prompt.trusted].map(canonicalPath)
  const hidden = [canonicalPath(data)]
  return {
    async find(cwd, trusted, name) {
      const inSight = hidden.filter(dir => !isInsideRoots(canonicalPath(cwd), [dir]))
      const mayLoad = async (path: string) => !isInsideRoots(path, inSight)
      const { agents } = await findAgents(cwd, { trusted: folders, folders: trusted }, mayLoad)
      return agents.find(agent => agent.name === name)
    },
  }
}
