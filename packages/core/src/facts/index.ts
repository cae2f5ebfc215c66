export { advance } from './advance.ts'
export { contentSize } from './advance-queue.ts'
export { startAt } from './advance-starts.ts'
export {
  type ApprovalFact,
  type CallFact,
  type ConversationStart,
  type EndedApproval,
  type EndedCall,
  type Facts,
  findApproval,
  findApprovalOf,
  findCall,
  findQueued,
  isBusy,
  NO_FACTS,
  pendingOf,
  type SettledMessage,
  statusOf,
  type WaitingMessage,
} from './facts.ts'
export { createSelector, type Follow, type Selection } from './selector.ts'
