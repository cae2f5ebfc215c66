/** A person tries one tool in a session of this model, whose run carries the call as an option. */

/** The model id of such sessions. */
export const TRY_MODEL = 'toolwire/try'

/** Under this option a run carries the call to make: the tool's name and its arguments. */
export const TRY_OPTION = 'try_call'
