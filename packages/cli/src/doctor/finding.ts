/** One check result of the doctor. `mend` is the suggested fix; only `bad` prevents a start. */
export interface Finding {
  readonly state: 'good' | 'note' | 'bad'
  readonly what: string
  readonly mend?: string
}

export const good = (what: string): Finding => ({ state: 'good', what })
export const note = (what: string, mend: string): Finding => ({ state: 'note', what, mend })
export const bad = (what: string, mend: string): Finding => ({ state: 'bad', what, mend })
