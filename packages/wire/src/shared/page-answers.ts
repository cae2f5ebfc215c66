/** Claims of a page about open calls. The server checks each against the log. */

export interface PageOutput {
  readonly call_id: string
  readonly output_text: string
  readonly is_error: boolean
}

export interface PageDecision {
  readonly approval_id: string
  readonly decision: 'approved' | 'denied' | 'cancelled'
  readonly reason?: string
  readonly edited_input_text?: string
  readonly answer_text?: string
}

export interface PageAnswers {
  readonly outputs: readonly PageOutput[]
  readonly approvals: readonly PageDecision[]
}
