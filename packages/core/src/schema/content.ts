/** Content that travels inside events: what people, models and tools say. */
import { z } from 'zod'

const TextPart = z
  .object({
    type: z.literal('text'),
    text: z.string(),
    /** The source of text that neither a user nor this server wrote; models get it fenced. */
    outside: z.string().optional(),
  })
  .meta({ id: 'TextPart' })

/**
 * A file that the owner has stored. A request names the id alone; the server adds the other fields before the event is
 * appended, so that the log says what it was when the file is gone.
 */
const FileSource = z
  .object({
    type: z.literal('file'),
    file_id: z.string(),
    sha256: z.string().optional(),
    bytes: z.number().int().optional(),
    media_type: z.string().optional(),
    filename: z.string().optional(),
    /** The reason that no model is shown it. */
    problem: z.string().optional(),
  })
  .meta({ id: 'FileSource' })

/** Bytes are inline (base64), behind an address, or in the store of files. */
const MediaSource = z
  .union([
    z.object({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
    z.object({ type: z.literal('url'), url: z.string(), media_type: z.string().optional() }),
    z.object({ type: z.literal('text'), media_type: z.string(), data: z.string() }),
    FileSource,
  ])
  .meta({ id: 'MediaSource' })

const MediaPart = z
  .object({
    /** `file`: of a type that no model takes. */
    type: z.enum(['image', 'document', 'audio', 'file']),
    source: MediaSource,
    title: z.string().optional(),
  })
  .meta({ id: 'MediaPart' })

export const ContentPart = z.union([TextPart, MediaPart]).meta({ id: 'ContentPart' })
export type ContentPart = z.infer<typeof ContentPart>

/** A tool as described to a model. `input_schema` is JSON Schema, kept as received. */
export const ToolSpec = z
  .object({
    name: z.string(),
    description: z.string().optional(),
    input_schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().optional(),
    /** Its client judges the arguments: they reach it as the model wrote them, even when they do not fit. */
    as_is: z.boolean().optional(),
    /**
     * The model writes plain text, which calls carry as `{"input": "<text>"}`. `format` is the grammar of the text as the
     * Responses API defines it.
     */
    freeform: z.object({ format: z.unknown().optional() }).optional(),
  })
  .meta({ id: 'ToolSpec' })
export type ToolSpec = z.infer<typeof ToolSpec>

/** Tokens of one model request. Absolute: the latest value replaces earlier ones, it is never added to them. */
export const Usage = z
  .object({
    input: z.number(),
    output: z.number(),
    cache_read: z.number(),
    cache_write: z.number(),
    /** The part of `cache_write` that is cached for an hour, at its own price; absent if zero. */
    cache_write_1h: z.number().optional(),
    /** The part of `cache_write` that is cached for twelve hours, at its own price; absent if zero. */
    cache_write_12h: z.number().optional(),
    reasoning: z.number(),
    /** Partly estimated: the provider did not count. */
    is_estimate: z.boolean().optional(),
  })
  .meta({ id: 'Usage' })
export type Usage = z.infer<typeof Usage>

/** A change that was made to a request on its way, so that none is silent. */
export const Warning = z.object({ code: z.string(), message: z.string() }).meta({ id: 'Warning' })
export type Warning = z.infer<typeof Warning>

/**
 * Data of a provider that only this provider understands, such as an encrypted form of its thinking. Kept byte for byte
 * and sent back to the same provider alone; with `model`, to the same model alone.
 */
export const Opaque = z
  .object({ provider: z.string(), model: z.string().optional(), data: z.unknown() })
  .meta({ id: 'Opaque' })
export type Opaque = z.infer<typeof Opaque>

/** A failure as the log keeps it. `code` comes from the error table or is a tool's own. */
export const Failure = z
  .object({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    provider: z.string().optional(),
    http_status: z.number().optional(),
    request_id: z.string().optional(),
    details: z.unknown().optional(),
  })
  .meta({ id: 'Failure' })
export type Failure = z.infer<typeof Failure>

export const ToolLayer = z.enum(['lookup', 'aborted', 'schema', 'validation', 'permission', 'execution'])
export type ToolLayer = z.infer<typeof ToolLayer>

export const ToolFailure = z
  .object({
    code: z.string(),
    layer: ToolLayer,
    /** For people; what the model reads is the event's `output_text`. */
    message: z.string(),
    retryable: z.boolean(),
    details: z.unknown().optional(),
  })
  .meta({ id: 'ToolFailure' })
export type ToolFailure = z.infer<typeof ToolFailure>

/** Display hints of a tool; shared by web, React, Vue and terminal. */
export const ToolView = z
  .object({ title: z.string().optional(), kind: z.string().optional(), body: z.unknown().optional() })
  .meta({ id: 'ToolView' })
export type ToolView = z.infer<typeof ToolView>

/** An item that a paused run waits for. */
export const PendingItem = z
  .object({
    kind: z.enum(['client_tool', 'approval', 'question']),
    id: z.string(),
    call_id: z.string(),
    name: z.string(),
    input_text: z.string(),
    message: z.string().optional(),
    /** JSON Schema of the answer to a question. */
    schema: z.record(z.string(), z.unknown()).optional(),
    /** A page that the question asks to open. */
    url: z.string().optional(),
    agent_run_id: z.string().optional(),
  })
  .meta({ id: 'PendingItem' })
export type PendingItem = z.infer<typeof PendingItem>
