export { ContentPart, ToolSpec } from './content.ts'
export { SessionEvent } from './event.ts'
