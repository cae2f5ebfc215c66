/** The rules of tools for what people and clients answer, for whoever appends those answers. */
import { readFormAnswer } from './form-answer.ts'
import { keptOutput } from './kept-output.ts'

export const answerRules = { keptOutput, readFormAnswer }
