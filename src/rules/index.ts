/** `steersman/rules`: decisions that user interfaces show or make, without Node. */

export { isRoleForm } from '../run/outputs/role-form.js';
export { codeText, type GatePart, gateParts, OPTIONS, partLines, partsOf } from './gates/gate-parts.js';
export {
  type Chosen,
  type FieldValues,
  firstValues,
  type PersonInput,
  replyTo,
} from './gates/gate-reply.js';
export { argumentsText, besideEdit, editText } from './gates/gate-text.js';
export { wordsHint, yesOrNoOf } from './gates/gate-words.js';
export { type Known, knownOf } from './gates/known.js';
export { hiddenLines, shownArguments, wholeParts } from './gates/whole-gate.js';
export { shownDiff, wholeWrite } from './gates/whole-write.js';
export {
  type ContentPart,
  partsText,
  readParts,
  resultParts,
  withoutFence,
} from './outputs/content-parts.js';
export {
  type ExecutionOutput,
  type PlanOutput,
  type PlanReading,
  parseExecutorResponse,
  parsePlannerResponse,
  parseVerifierResponse,
  type RoleReply,
  type VerdictOutput,
} from './outputs/role-replies.js';
export { ACTION, ACTION_BYTES, ACTION_LABEL_CHARS } from './steering/component-action.js';
export { SEARCH_ATTRIBUTES } from './steering/search-attributes.js';
export { type CodeSays, codeSays } from './tools/exit-code.js';
export { asTaken } from './tools/model-habits.js';
