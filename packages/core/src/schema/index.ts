export { ContentPart, Opaque, PendingItem, ToolSpec, Usage } from './content.ts'
export { SessionEvent } from './event.ts'
