/** Suggestions of the composer: files of the workspace after `@`, skills and commands of the app after `/`. */
import type { Complete, Completion } from '@toolwire/core/parts'
import { useSessionContext, useView } from '@toolwire/react'
import { useMemo } from 'react'
import { navigate, PANEL_TABS, sessionPath } from '../router.ts'
import { serverApi } from '../server-api.ts'
import { useStrings } from '../strings/use-strings.ts'

/** In a session. */
export function useComplete(): Complete {
  const { session } = useSessionContext()
  const { a } = useStrings()
  const workspace = useView(view => view.info.cwd)
  return useMemo(() => {
    const panels = PANEL_TABS.map(tab => ({
      value: tab,
      label: `/${tab}`,
      note: a(`panel.${tab}`),
      run: () => navigate(sessionPath(session.id, tab)),
    }))
    const added = { value: 'new', label: '/new', note: a('session.new'), run: () => navigate('/') }
    return async ({ kind, query }) =>
      kind === 'file'
        ? await findFiles(session.id, query)
        : await findCommands(query, [...panels, added], workspace)
  }, [session.id, workspace, a])
}

/** Before the first message: there is no session yet, so no file of its workspace either. */
export function useHomeComplete(): Complete {
  return useMemo(
    () =>
      async ({ kind, query }) =>
        kind === 'file' ? [] : await findCommands(query, []),
    [],
  )
}

/** Entries of the folder that the query names so far. */
async function findFiles(session: string, query: string): Promise<readonly Completion[]> {
  const slash = query.lastIndexOf('/')
  const folder = query.slice(0, Math.max(0, slash))
  const wanted = query.slice(slash + 1).toLowerCase()
  const { entries } = await serverApi.files(session, folder)
  return entries
    .filter(({ name, kind }) => kind !== 'other' && name.toLowerCase().includes(wanted))
    .toSorted((one, other) => rankOf(one.name, wanted) - rankOf(other.name, wanted))
    .map(({ name, kind, denied }) => {
      const path = folder === '' ? name : `${folder}/${name}`
      const isFolder = kind === 'directory'
      return {
        value: isFolder ? `${path}/` : quote(path),
        label: isFolder ? `${name}/` : name,
        ...(denied === undefined ? {} : { note: denied }),
      }
    })
}

/** Names that begin with what was typed come first. */
const rankOf = (name: string, wanted: string): number => (name.toLowerCase().startsWith(wanted) ? 0 : 1)

const quote = (path: string): string => (/\s/.test(path) ? JSON.stringify(path) : path)

async function findCommands(
  query: string,
  commands: readonly Completion[],
  workspace?: string,
): Promise<readonly Completion[]> {
  // Without skills the commands of the app are still there.
  const { skills } = await serverApi
    .skills(workspace === '' ? undefined : workspace)
    .catch(() => ({ skills: [] }))
  const loadable = skills
    .filter(({ for_users, shadowed_by }) => for_users && shadowed_by === undefined)
    .map(({ name, description }) => ({ value: name, label: `/${name}`, note: description }))
  const wanted = query.toLowerCase()
  return [...loadable, ...commands].filter(({ value }) => value.toLowerCase().includes(wanted))
}
