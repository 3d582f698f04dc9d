/** `steersman/base`: text, JSON, sizes and words, without Node. */

export {
  exactJson,
  isRecord,
  isText,
  jsonBytes,
  MAX_JSON_DEPTH,
  nestsDeeper,
  nestsTooDeep,
  ownValue,
  parseJson,
  stringOr,
} from './json/json.js';
export { parseRecord } from './json/json-in-text.js';
export { decoded } from './text/decoded.js';
export { errorText } from './text/error-text.js';
export { boundedText } from './text/fit.js';
export {
  anyOf,
  argumentsLine,
  formatClock,
  formatCost,
  formatCount,
  formatDuration,
  plural,
} from './text/format.js';
export { alternatives, matchesPath, newWork, type PathPart, readPathPart } from './text/glob.js';
export { tailChars } from './text/large-text.js';
export { isWithin } from './text/nearest-names.js';
export { NUMBER_HINT, readNumber } from './text/number.js';
export { fenced } from './text/plain-markdown.js';
export { preview } from './text/preview.js';
export { type Interpreter, schemaFaults } from './text/schema-faults.js';
export { escapeDiff, escapeUnseen, visibleText } from './text/unseen.js';
export { BUILT_IN_WORDS, filled } from './words/words.js';
