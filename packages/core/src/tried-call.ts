/** How a person tries one tool: a session of this model carries the call to make as an option of its run. */

/** The model id of such sessions. */
export const TRY_MODEL = 'toolwire/try'

/** Under this option a run carries the call to make: the tool's name and its arguments. */
export const TRY_OPTION = 'try_call'
