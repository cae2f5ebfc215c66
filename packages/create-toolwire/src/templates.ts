/** The templates. Each is a folder below `templates`; those that serve an agent also get the files of `shared`. */
export const TEMPLATES = {
  'chat-react': 'a chat page with React, and its server',
  'chat-vue': 'a chat page with Vue, and its server',
  next: 'a chat in a Next application',
  express: 'an agent behind an Express server',
  tool: 'a tool for the toolwire command',
} as const

export type TemplateName = keyof typeof TEMPLATES

export const isTemplate = (name: string): name is TemplateName => Object.hasOwn(TEMPLATES, name)

/** Folders whose files make a project; later ones replace earlier ones. */
export const sourcesOf = (template: TemplateName): readonly string[] =>
  template === 'tool' ? ['tool'] : ['shared', template]
