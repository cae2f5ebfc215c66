/** Values that handlers return: an object is JSON with status 200, everything else is a `Reply`. */

type ReplyBody =
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'bytes'; readonly bytes: string | Uint8Array }
  | { readonly type: 'chunks'; readonly chunks: AsyncIterable<string | Uint8Array> }
  | { readonly type: 'empty' }

export class Reply {
  readonly status: number
  readonly body: ReplyBody
  /** The content type; absent when there is no body, or a header has it. */
  readonly contentType: string | undefined

  constructor(status: number, body: ReplyBody, contentType?: string) {
    this.status = status
    this.body = body
    this.contentType = contentType
  }
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** A value as JSON. */
export const reply = (status: number, value: unknown): Reply =>
  new Reply(status, { type: 'json', value }, JSON_TYPE)

/** A status without a body. */
export const emptyReply = (status: number): Reply => new Reply(status, { type: 'empty' })

/** Text or bytes as they are. Without a content type a header of the exchange names it. */
export const rawReply = (status: number, bytes: string | Uint8Array, contentType?: string): Reply =>
  new Reply(status, { type: 'bytes', bytes }, contentType)

/** A body of any size, sent as the client takes it. */
export const streamReply = (
  status: number,
  chunks: AsyncIterable<string | Uint8Array>,
  contentType?: string,
): Reply => new Reply(status, { type: 'chunks', chunks }, contentType)
