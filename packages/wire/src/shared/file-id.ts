/** Ids of stored files in requests. The server checks who owns them. */
import type { FileSource } from '@toolwire/core'
import { z } from 'zod'

const FILE_ID = /^file_[A-Za-z0-9]{1,64}$/

export const FileId = z.string().regex(FILE_ID, 'the id of a file of this server begins with file_')

/** The file that an address of this server names; undefined for another address. Pure. */
export function fileInAddress(url: string): FileSource | undefined {
  const [, file_id] =
    /^(?:https?:\/\/[^/?#]+)?(?:\/[^?#]*)?\/api\/files\/(file_[A-Za-z0-9]{1,64})(?:\/content)?(?:\?[^#]*)?$/.exec(
      url,
    ) ?? []
  return file_id === undefined ? undefined : { type: 'file', file_id }
}
