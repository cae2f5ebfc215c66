/** Request headers that several routes read. */
export const HEADER_PARAMETERS = {
  'Idempotency-Key': {
    description: 'A repeated request with the same key gets the answer of the first one.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'Last-Event-ID': {
    description: 'The id of the last event that was read; the response continues after it.',
    schema: { type: 'string', maxLength: 512 },
  },
  Range: { description: 'A part of the file, as `bytes=0-999`.', schema: { type: 'string' } },
  'If-None-Match': { description: 'The ETag of what the client has.', schema: { type: 'string' } },
  'X-Session-Id': {
    description: 'The session that this conversation is kept in; found by its history without it.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,128}$' },
  },
  'X-Server-Tools': {
    description: 'Tools that this server runs itself, separated by commas; `none` for none.',
    schema: { type: 'string' },
  },
  'X-Tool-Repair': {
    description: '`strict` refuses what would have to be changed on its way to the model.',
    schema: { type: 'string', enum: ['strict', 'repair'] },
  },
  'X-Forced-Tool': {
    description: 'What becomes of a tool that is forced while the model thinks; providers refuse that.',
    schema: { type: 'string', enum: ['refuse', 'downgrade'], default: 'refuse' },
  },
  'X-Max-Cost-Usd': { description: 'What the answer may cost.', schema: { type: 'number' } },
  'X-Max-Total-Tokens': { description: 'Tokens that the answer may use.', schema: { type: 'integer' } },
  'X-Max-Duration-Ms': { description: 'Time that the answer may take.', schema: { type: 'integer' } },
  'X-Fallback-Models': {
    description: 'Models to ask when the first one fails before it has said anything, separated by commas.',
    schema: { type: 'string' },
  },
} as const

export type HeaderName = keyof typeof HEADER_PARAMETERS
