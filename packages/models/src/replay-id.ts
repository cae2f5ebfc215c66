/** Ids of models that play recordings begin with this. */
export const REPLAY_PREFIX = 'replay:'

/** True for an id that names a file. Only the operator may give one. */
export const isReplayId = (id: string): boolean => id.startsWith(REPLAY_PREFIX)
