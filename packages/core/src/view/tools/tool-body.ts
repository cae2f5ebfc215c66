/** The display of a tool call as data: the same for every front end. */

export interface DiffLine {
  readonly type: 'same' | 'add' | 'remove' | 'gap'
  readonly text: string
  readonly old_line?: number
  readonly new_line?: number
}

export interface SearchItem {
  readonly title: string
  readonly path?: string
  readonly line?: number
  readonly url?: string
  readonly text?: string
}

export interface TodoItem {
  readonly text: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
}

export type ToolBody =
  | {
      readonly kind: 'terminal'
      readonly command: string
      readonly output: string
      readonly exit_code?: number
    }
  | {
      readonly kind: 'diff'
      readonly path: string
      readonly lines: readonly DiffLine[]
      readonly added: number
      readonly removed: number
    }
  | {
      readonly kind: 'file'
      readonly path: string
      readonly text: string
      readonly lang: string
      readonly first_line: number
      /** The tool's text beside the file. */
      readonly note?: string
    }
  | {
      readonly kind: 'search'
      readonly query: string
      readonly items: readonly SearchItem[]
      readonly more: number
      readonly text: string
    }
  | {
      readonly kind: 'notebook'
      readonly path: string
      readonly cell?: string
      readonly source: string
      readonly text: string
    }
  | { readonly kind: 'todo'; readonly items: readonly TodoItem[] }
  | {
      readonly kind: 'image'
      readonly images: readonly { readonly src: string; readonly media_type: string }[]
      readonly text: string
    }
  | { readonly kind: 'agent'; readonly prompt: string; readonly text: string }
  | { readonly kind: 'json'; readonly input: unknown; readonly output: unknown; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }

export type ToolKind = ToolBody['kind']

/** Title: one line, what the call is about. The body's kind says how to draw it. */
export interface ToolDisplay {
  readonly title: string
  readonly kind: ToolKind
  readonly body: ToolBody
}
