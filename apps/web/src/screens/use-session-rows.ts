/** The first pages of matching sessions; restarts with every change of the query. */
import type { ListSessions, SessionJson } from '@toolwire/client'
import { useCallback, useState } from 'react'
import { client } from '../client.ts'
import { useLoaded } from '../use-loaded.ts'

export interface SessionFilter {
  readonly text: string
  /** '' for all that were not put away. */
  readonly state: '' | SessionJson['status'] | 'archived'
  /** '' for any. */
  readonly tag: string
}

/** Enough for a screen; more come when asked for. */
const PAGE = 50

export function useSessionRows({ text, state, tag }: SessionFilter) {
  const [limit, setLimit] = useState({ key: '', pages: 1 })
  const key = JSON.stringify([state, tag, text])
  const pages = limit.key === key ? limit.pages : 1
  const read = useCallback(async () => {
    const rows: SessionJson[] = []
    let cursor: string | undefined
    for (let page = 0; page < pages; page++) {
      const question = toQuestion({ text, state, tag })
      const answer = await client.sessions.list(cursor === undefined ? question : { ...question, cursor })
      rows.push(...answer.sessions)
      cursor = answer.next_cursor ?? undefined
      if (cursor === undefined) break
    }
    return { rows, more: cursor !== undefined }
  }, [text, state, tag, pages])
  const { data, error, refresh } = useLoaded(read)
  return {
    rows: data?.rows,
    more: data?.more ?? false,
    error,
    refresh,
    readMore: () => setLimit({ key, pages: pages + 1 }),
  }
}

function toQuestion({ text, state, tag }: SessionFilter): ListSessions {
  const where = state === 'archived' ? { archived: true } : state === '' ? {} : { status: state }
  return {
    limit: PAGE,
    inputs: 'short',
    ...where,
    ...(text === '' ? {} : { text }),
    ...(tag === '' ? {} : { tag }),
  }
}
