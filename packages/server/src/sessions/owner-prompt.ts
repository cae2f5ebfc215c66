/** The owner's additions to the prompts of their sessions: text, and folders whose instruction files are trusted. One record each. */
import { AppError, type Records } from '@toolwire/core'
import { z } from 'zod'

const KIND = 'owner_prompt'
const MAX_FOLDERS = 100

const TrustRecord = z.object({
  path: z.string(),
  files: z.record(z.string(), z.string()),
  trusted_at: z.string(),
  by: z.string(),
})
type TrustRecord = z.output<typeof TrustRecord>
const PromptRecord = z.object({
  instructions: z.string().optional(),
  trusted: z.array(TrustRecord).optional(),
})

/** The instruction files of a folder and of what is above it in its repository. */
export interface InspectedFolder {
  /** The root of the repository. Canonical. */
  readonly root: string
  readonly files: readonly { readonly path: string; readonly sha256: string }[]
  readonly warnings: readonly string[]
}

/** Nothing for an owner without a record. */
export async function readOwnerPrompt(
  records: Pick<Records, 'get'>,
  owner: string,
): Promise<z.output<typeof PromptRecord>> {
  return toRecord(await records.get(KIND, owner))
}

export async function writeInstructions(
  records: Pick<Records, 'update'>,
  owner: string,
  instructions: string,
): Promise<void> {
  await records.update(KIND, owner, before => ({ ...toRecord(before), instructions }))
}

/** Trusts the instruction files of a folder as they are now. Throws `limit_reached`. */
export async function trustFolder(
  records: Pick<Records, 'update'>,
  owner: string,
  request: { readonly inspected: InspectedFolder; readonly now: Date; readonly by: string },
): Promise<TrustRecord> {
  const { root: path, files } = request.inspected
  const folder: TrustRecord = {
    path,
    files: Object.fromEntries(files.map(file => [file.path, file.sha256])),
    trusted_at: request.now.toISOString(),
    by: request.by,
  }
  await records.update(KIND, owner, before => {
    const known = toRecord(before)
    const others = (known.trusted ?? []).filter(one => one.path !== path)
    if (others.length >= MAX_FOLDERS)
      throw new AppError('limit_reached', `An owner may trust ${MAX_FOLDERS} folders.`)
    return { ...known, trusted: [...others, folder] }
  })
  return folder
}

/** False when it was not trusted. */
export async function distrustFolder(
  records: Pick<Records, 'update' | 'get'>,
  owner: string,
  path: string,
): Promise<boolean> {
  const isThere = (await readOwnerPrompt(records, owner)).trusted?.some(one => one.path === path) ?? false
  if (isThere)
    await records.update(KIND, owner, before => {
      const known = toRecord(before)
      return { ...known, trusted: (known.trusted ?? []).filter(one => one.path !== path) }
    })
  return isThere
}

/** Files that are other ones now, or gone. Pure. */
export function changedFiles({ files }: TrustRecord, inspected: InspectedFolder): readonly string[] {
  const now = new Map(inspected.files.map(file => [file.path, file.sha256]))
  return Object.entries(files).flatMap(([file, hash]) => (now.get(file) === hash ? [] : [file]))
}

const toRecord = (value: unknown): z.output<typeof PromptRecord> =>
  value === undefined ? {} : PromptRecord.parse(value)
