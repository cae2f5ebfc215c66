/** One thing that the doctor looked at. `mend` says what to do; only `bad` keeps the server from starting. */
export interface Finding {
  readonly state: 'good' | 'note' | 'bad'
  readonly what: string
  readonly mend?: string
}

export const good = (what: string): Finding => ({ state: 'good', what })
export const note = (what: string, mend: string): Finding => ({ state: 'note', what, mend })
export const bad = (what: string, mend: string): Finding => ({ state: 'bad', what, mend })
