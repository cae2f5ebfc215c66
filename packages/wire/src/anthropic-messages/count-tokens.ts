/** Estimates the tokens of a Messages request. Pure. */
import { estimateValue } from '../gateway/estimate-tokens.ts'
import { parseBody } from '../shared/parse-body.ts'
import { MessagesRequest } from './request-schema.ts'

/** Throws `bad_request` for what the Messages route would refuse as well. */
export function estimateTokens(body: unknown): number {
  const { system, messages, tools } = parseBody(MessagesRequest, body)
  return estimateValue([system ?? [], messages, tools ?? []])
}
