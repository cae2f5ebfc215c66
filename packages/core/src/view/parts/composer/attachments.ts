/** Files of a message that is being written: uploaded at once, and named in the message by their ids. */
import type { ContentPart } from '../../../event.ts'
import { partTypeOf } from '../../../files/inline-part.ts'
import { isTextType } from '../../../files/media-type.ts'
import { readDraft, storeDraft } from '../forms/stored-draft.ts'
import { Observable } from './observable.ts'

/** A file as the server has stored it. */
export interface UploadedFile {
  readonly id: string
  readonly filename: string
  readonly bytes: number
  readonly media_type: string
  /** The reason that no model is shown it. */
  readonly problem: string | null
}

export type Upload = (file: File, options: { readonly signal: AbortSignal }) => Promise<UploadedFile>

export interface Attachment {
  readonly key: string
  readonly name: string
  readonly bytes: number
  readonly state: 'uploading' | 'ready' | 'failed'
  /** Address of a thumbnail in this page; only of images that were added here. */
  readonly preview?: string
  readonly uploaded?: UploadedFile
  readonly error?: string
  /** Present after a failed upload that can be repeated. */
  readonly canRetry?: boolean
}

export interface AttachmentLimits {
  readonly bytes: number
  readonly files: number
}

/** Below the server's limit for one file. More than 20 in one message are more likely a slip. */
export const ATTACHMENT_LIMITS: AttachmentLimits = { bytes: 100_000_000, files: 20 }

/** Texts of errors that are found before anything is uploaded. */
interface AttachmentErrors {
  readonly tooLarge: string
  readonly tooMany: string
  readonly empty: string
}

export interface AttachmentOptions {
  readonly upload: Upload
  readonly errors: AttachmentErrors
  readonly limits?: AttachmentLimits
  /** Keeps uploaded files in this browser under this name, so that a reload does not lose them. */
  readonly draftKey?: string | undefined
}

const THUMBNAIL = /^image\/(?:png|jpeg|gif|webp)$/
const NONE: readonly Attachment[] = []

export class Attachments extends Observable<readonly Attachment[]> {
  readonly #options: AttachmentOptions
  readonly #sources = new Map<string, { readonly file: File; readonly uploading: AbortController }>()
  #made = 0

  constructor(options: AttachmentOptions) {
    super(readStored(options.draftKey))
    this.#options = options
  }

  /** True while a message with these files can be sent. */
  get isReady(): boolean {
    return this.getSnapshot().every(({ state }) => state === 'ready')
  }

  /** Starts an upload for each; one that is over a limit is listed with the reason. */
  readonly add = (files: Iterable<File>): void => {
    for (const file of files) this.#addOne(file)
  }

  readonly retry = (key: string): void => {
    const source = this.#sources.get(key)
    const found = this.getSnapshot().find(one => one.key === key)
    if (source && found?.state === 'failed') this.#start(key, source.file)
  }

  /** Takes the file out of the message; an upload in progress is aborted. */
  readonly remove = (key: string): void => {
    this.#forget(key)
    this.#publish(this.getSnapshot().filter(one => one.key !== key))
  }

  /** The parts of the message. Call `clear` when the server has recorded it. */
  parts(): readonly ContentPart[] {
    return this.getSnapshot().flatMap(({ uploaded }) =>
      uploaded ? [{ type: 'file', source: { type: 'file', file_id: uploaded.id } } as const] : [],
    )
  }

  clear(): void {
    for (const { key } of this.getSnapshot()) this.#forget(key)
    this.#publish(NONE)
  }

  /** Frees what the page holds; stored drafts stay. */
  readonly close = (): void => {
    for (const { key } of this.getSnapshot()) this.#forget(key)
  }

  #addOne(file: File): void {
    const { errors, limits = ATTACHMENT_LIMITS } = this.#options
    const key = `a${this.#made++}`
    const error =
      file.size === 0
        ? errors.empty
        : file.size > limits.bytes
          ? errors.tooLarge
          : this.getSnapshot().length >= limits.files
            ? errors.tooMany
            : undefined
    const preview = THUMBNAIL.test(file.type) && !error ? URL.createObjectURL(file) : undefined
    const attachment: Attachment = {
      key,
      name: file.name || 'file',
      bytes: file.size,
      state: error === undefined ? 'uploading' : 'failed',
      ...(error === undefined ? {} : { error }),
      ...(preview === undefined ? {} : { preview }),
    }
    this.#publish([...this.getSnapshot(), attachment])
    if (error === undefined) this.#start(key, file)
  }

  #start(key: string, file: File): void {
    const uploading = new AbortController()
    this.#sources.set(key, { file, uploading })
    this.#change(key, ({ error: _, canRetry: __, ...one }) => ({ ...one, state: 'uploading' }))
    this.#options.upload(file, { signal: uploading.signal }).then(
      uploaded => {
        if (uploading.signal.aborted) return
        this.#sources.delete(key)
        this.#change(key, one => ({ ...one, state: 'ready', uploaded, name: uploaded.filename || one.name }))
      },
      (thrown: unknown) => {
        if (uploading.signal.aborted) return
        const error = thrown instanceof Error ? thrown.message : String(thrown)
        this.#change(key, one => ({ ...one, state: 'failed', error, canRetry: true }))
      },
    )
  }

  #forget(key: string): void {
    this.#sources.get(key)?.uploading.abort()
    this.#sources.delete(key)
    const preview = this.getSnapshot().find(one => one.key === key)?.preview
    if (preview !== undefined) URL.revokeObjectURL(preview)
  }

  #change(key: string, change: (one: Attachment) => Attachment): void {
    this.#publish(this.getSnapshot().map(one => (one.key === key ? change(one) : one)))
  }

  #publish(list: readonly Attachment[]): void {
    this.set(list)
    const { draftKey } = this.#options
    const ready = list.flatMap(({ uploaded }) => uploaded ?? [])
    storeDraft(toFilesKey(draftKey), ready.length === 0 ? '' : JSON.stringify(ready))
  }
}

const toFilesKey = (draftKey: string | undefined): string | undefined =>
  draftKey === undefined ? undefined : `${draftKey}:files`

/** The files of an earlier page. Whatever is not of the known form is left out. */
function readStored(draftKey: string | undefined): readonly Attachment[] {
  const text = readDraft(toFilesKey(draftKey))
  if (text === '') return NONE
  try {
    const stored: unknown = JSON.parse(text)
    return (Array.isArray(stored) ? stored : []).filter(isUploaded).map((uploaded, index) => ({
      key: `s${index}`,
      name: uploaded.filename,
      bytes: uploaded.bytes,
      state: 'ready',
      uploaded,
    }))
  } catch {
    return NONE
  }
}

function isUploaded(value: unknown): value is UploadedFile {
  if (typeof value !== 'object' || value === null) return false
  const { id, filename, bytes } = value as Partial<Record<keyof UploadedFile, unknown>>
  return typeof id === 'string' && typeof filename === 'string' && typeof bytes === 'number'
}

/** True if models get no more than the name of the file. */
export const isNameOnly = ({ problem, media_type }: UploadedFile): boolean =>
  Boolean(problem) || partTypeOf(media_type, isTextType(media_type)) === 'file'

/** Plain text, or text and files. */
export type MessageContent = string | readonly ContentPart[]

/** The content of a message with files. */
export function toContent(text: string, parts: readonly ContentPart[]): MessageContent {
  if (parts.length === 0) return text
  return text === '' ? parts : [{ type: 'text', text }, ...parts]
}

/** Files out of a paste or a drop. Empty when it holds text alone. */
export const filesOf = (data: DataTransfer | null): readonly File[] => [...(data?.files ?? [])]

/** True for a drag that brings files. */
export const bringsFiles = (data: DataTransfer | null): boolean => [...(data?.types ?? [])].includes('Files')
