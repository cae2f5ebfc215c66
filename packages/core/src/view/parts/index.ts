/**
 * Everything that drawing a view needs in every framework beside the view itself: icons, lines that a browser can
 * lay out, safe addresses. A separate entry, so that code that only folds a log does not load it.
 */

export { ArgumentDeduplicator, MissingArgumentsError } from '../../argument-deduplicator.ts'
export { isLarge } from '../../is-large.ts'
export { relativePath } from '../relative-path.ts'
export { answerText } from './calls/answer-text.ts'
export { approvalMessage } from './calls/approval-message.ts'
export { type AskedView, askedView, fullKey, isAsked, TODOS_SHOWN } from './calls/asked-view.ts'
export {
  type ApproveCall,
  type CallAnswers,
  type CallCommands,
  callAnswers,
} from './calls/call-answers.ts'
export {
  callText,
  elapsedLabel,
  failureText,
  isOnlyQuestion,
  isWaitingForUser,
  progressLabel,
  sizeLabel,
  stateLabel,
} from './calls/call-labels.ts'
export { callName, callOutcome, countByName } from './calls/call-outcome.ts'
export { isJson, prettyJson } from './calls/edited-json.ts'
export { isCutOutput } from './calls/is-cut-output.ts'
export { countNames } from './calls/names.ts'
export { NewPending } from './calls/new-pending.ts'
export { hiddenLines, type PartWords, partLabels } from './calls/part-labels.ts'
export { retryContent } from './calls/retry-content.ts'
export { type RuleTime, ruleTimes, ruleTtl } from './calls/rule-times.ts'
export { cardIn, showCard } from './calls/show-card.ts'
export { suggestedRule } from './calls/suggested-rule.ts'
export { type AttachSetup, limitsLabel, openAttachments } from './composer/attach-options.ts'
export {
  ATTACHMENT_LIMITS,
  type Attachment,
  type AttachmentLimits,
  Attachments,
  filesOf,
  isNameOnly,
  type MessageContent,
  toContent,
  type Upload,
  type UploadedFile,
} from './composer/attachments.ts'
export {
  type Complete,
  type CompletedText,
  Completer,
  type Completion,
  type CompletionList,
  type CompletionRequest,
  completionAt,
} from './composer/completer.ts'
export { type ComposerLabels, composerLabels, fillLabel } from './composer/composer-labels.ts'
export type { Draft, MessageBoxSettings, SendMode } from './composer/message-box-settings.ts'
export { Observable } from './composer/observable.ts'
export {
  type EffectGroup,
  effectGroups,
  fileFacts,
  filesIn,
  isEditable,
} from './composer/version-effects.ts'
export { VersionRequest, type VersionState } from './composer/version-request.ts'
export { dropAreaOf, watchDrop } from './composer/watch-drop.ts'
export { choicesOf } from './forms/choices.ts'
export { clientForm } from './forms/client-form.ts'
export { type FormField, formFields, type Schema, schemaLike, typeWords } from './forms/form-fields.ts'
export { type FormProblem, type FormValues, initialValues, toInput, toValues } from './forms/form-input.ts'
export {
  type BlockAnswer,
  blockValues,
  chooseOption,
  NO_ANSWER,
  OTHER,
  type QuestionBlock,
  questionBlocks,
  unanswered,
} from './forms/question-blocks.ts'
export { readDraft, storeDraft } from './forms/stored-draft.ts'
export { fitArea } from './page/fit-area.ts'
export { ICON_PATHS, type IconName, STATE_ICONS, TODO_ICONS } from './page/icons.ts'
export { isComposing } from './page/is-composing.ts'
export { isPlainClick } from './page/is-plain-click.ts'
export { asksForKeys, partShortcuts, type Shortcut } from './page/shortcuts.ts'
export { StickToEnd } from './page/stick-to-end.ts'
export { yieldToBrowser } from './page/yield-to-browser.ts'
export { flatRows } from './rows/flat-rows.ts'
export {
  type FrameLike,
  type FrameRow,
  frameRows,
  prettyFrame,
  WIRES,
  type WireName,
  wireOf,
} from './rows/frame-rows.ts'
export { keepList } from './rows/keep-list.ts'
export { type ListSource, LiveList } from './rows/live-list.ts'
export { noRepeat } from './rows/no-repeat.ts'
export { type Density, isOpenByState } from './rows/open-by-state.ts'
export { type SessionAge, sessionsByAge } from './rows/sessions-by-age.ts'
export { type StatCell, statCells } from './rows/stat-cells.ts'
export {
  drawsAllRows,
  foldsAbove,
  pinnedRows,
  rowOfCall,
  type ThreadRow,
  threadRows,
} from './rows/thread-rows.ts'
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
} from './rows/timeline-rows.ts'
export {
  type BarPosition,
  barLabel,
  barPosition,
  type TimelineScale,
  timelineScales,
  timelineTotals,
  ZOOMS,
} from './rows/timeline-scale.ts'
export { answerOf, findTurn, isActive, queuedByUser } from './rows/turn-state.ts'
export { ansiNames, exactColours } from './text/ansi-names.ts'
export { DIFF_HEAD, DIFF_MORE, DIFF_SIGNS, DIFF_TABLE, diffRows, diffText } from './text/diff-rows.ts'
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
} from './text/display-lines.ts'
export { fencedCode } from './text/fenced-code.ts'
export { fileNameOf } from './text/file-name.ts'
export { type JsonText, jsonText } from './text/json-text.ts'
export { escapeControls, markControls, markLine } from './text/mark-controls.ts'
export { markAttributes, markChildren } from './text/mark-element.ts'
export { markedValue } from './text/marked-value.ts'
export {
  type PanePiece,
  type PaneRun,
  type PaneText,
  type PieceMarks,
  paneText,
  pieceRuns,
} from './text/pane-text.ts'
export {
  type ImageAddress,
  imageAddress,
  linkAddress,
  namesHost,
  sourceAddress,
} from './text/safe-address.ts'
export { foundWords, marksByPiece, type SearchState, TextSearch } from './text/text-search.ts'
