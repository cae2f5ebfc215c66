import { createHash } from 'node:crypto'

/** Ids come from outside; as file names they keep only what is safe. Different ids have different names. */
export function fileName(id: string): string {
  if (/^[A-Za-z0-9_-]{1,120}$/.test(id)) return id
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 16)
  return `${id.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 100)}-${digest}`
}
