/** `steersman/conversation`: a run as models see it, without Node. */

export { contentText, resultText } from './tool-result.js';
