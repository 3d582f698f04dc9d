/** `steersman/conversation`: what models are shown of a run, without Node. */

export { contentText, resultText } from './tool-result.js';
