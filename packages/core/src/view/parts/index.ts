/**
 * Everything that drawing a view needs in every framework beside the view itself: icons, lines that a browser can
 * lay out, safe addresses. A separate entry, so that code that only folds a log does not load it.
 */

export { ArgumentDeduplicator, MissingArgumentsError } from '../../argument-deduplicator.ts'
export { isLarge } from '../../is-large.ts'
export { relativePath } from '../relative-path.ts'
export { ansiNames, exactColours } from './ansi-names.ts'
export { answerText } from './answer-text.ts'
export { approvalMessage } from './approval-message.ts'
export { type AskedView, askedView, fullKey, isAsked, TODOS_SHOWN } from './asked-view.ts'
export {
  type ApproveCall,
  type CallAnswers,
  type CallCommands,
  callAnswers,
} from './call-answers.ts'
export {
  callText,
  elapsedLabel,
  failureText,
  isOnlyQuestion,
  isWaitingForUser,
  progressLabel,
  sizeLabel,
  stateLabel,
} from './call-labels.ts'
export { callName, callOutcome, countByName } from './call-outcome.ts'
export { choicesOf } from './choices.ts'
export { clientForm } from './client-form.ts'
export { DIFF_HEAD, DIFF_MORE, DIFF_SIGNS, DIFF_TABLE, diffRows, diffText } from './diff-rows.ts'
export {
  COMMAND_ENDS,
  countLines,
  isShortened,
  LIVE_ENDS,
  OUTPUT_ENDS,
  shortLine,
  shortText,
  type TextEnds,
  textEnds,
} from './display-lines.ts'
export { isJson, prettyJson } from './edited-json.ts'
export { fencedCode } from './fenced-code.ts'
export { fileNameOf } from './file-name.ts'
export { fitArea } from './fit-area.ts'
export { flatRows } from './flat-rows.ts'
export { type FormField, formFields, type Schema, schemaLike, typeWords } from './form-fields.ts'
export { type FormProblem, type FormValues, initialValues, toInput, toValues } from './form-input.ts'
export {
  type FrameLike,
  type FrameRow,
  frameRows,
  prettyFrame,
  WIRES,
  type WireName,
  wireOf,
} from './frame-rows.ts'
export { ICON_PATHS, type IconName, STATE_ICONS, TODO_ICONS } from './icons.ts'
export { isComposing } from './is-composing.ts'
export { isCutOutput } from './is-cut-output.ts'
export { isPlainClick } from './is-plain-click.ts'
export { type JsonText, jsonText } from './json-text.ts'
export { keepList } from './keep-list.ts'
export { type ListSource, LiveList } from './live-list.ts'
export { escapeControls, markControls, markLine } from './mark-controls.ts'
export { markAttributes, markChildren } from './mark-element.ts'
export { markedValue } from './marked-value.ts'
export { countNames } from './names.ts'
export { NewPending } from './new-pending.ts'
export { noRepeat } from './no-repeat.ts'
export { type Density, isOpenByState } from './open-by-state.ts'
export {
  type PanePiece,
  type PaneRun,
  type PaneText,
  type PieceMarks,
  paneText,
  pieceRuns,
} from './pane-text.ts'
export { hiddenLines, type PartWords, partLabels } from './part-labels.ts'
export {
  type BlockAnswer,
  blockValues,
  chooseOption,
  NO_ANSWER,
  OTHER,
  type QuestionBlock,
  questionBlocks,
  unanswered,
} from './question-blocks.ts'
export { retryContent } from './retry-content.ts'
export { type RuleTime, ruleTimes, ruleTtl } from './rule-times.ts'
export { type ImageAddress, imageAddress, linkAddress, namesHost, sourceAddress } from './safe-address.ts'
export { type SessionAge, sessionsByAge } from './sessions-by-age.ts'
export { asksForKeys, partShortcuts, type Shortcut } from './shortcuts.ts'
export { cardIn, showCard } from './show-card.ts'
export { type StatCell, statCells } from './stat-cells.ts'
export { StickToEnd } from './stick-to-end.ts'
export { readDraft, storeDraft } from './stored-draft.ts'
export { suggestedRule } from './suggested-rule.ts'
export { foundWords, marksByPiece, type SearchState, TextSearch } from './text-search.ts'
export {
  drawsAllRows,
  foldsAbove,
  pinnedRows,
  rowOfCall,
  type ThreadRow,
  threadRows,
} from './thread-rows.ts'
export {
  groupWith,
  rowsToShow,
  showCurrentBar,
  type TimelineBar,
  type TimelineGroup,
  type TimelineRow,
  type TimelineTurn,
  timelineEnds,
  timelineRows,
} from './timeline-rows.ts'
export {
  type BarPosition,
  barLabel,
  barPosition,
  type TimelineScale,
  timelineScales,
  timelineTotals,
  ZOOMS,
} from './timeline-scale.ts'
export { findTurn, isActive } from './turn-state.ts'
export { yieldToBrowser } from './yield-to-browser.ts'
