import type { Retry } from '../client/runs/pending-calls.js';
import { terminalText } from './terminal-text.js';

/** A call that is made again, and why. */
export function retryLine({ activityType, attempt, maximumAttempts, message }: Retry): string {
  const of = maximumAttempts > 0 ? ` of ${maximumAttempts}` : '';
  return `${ACTIVITY_NAMES[activityType] ?? activityType}: attempt ${attempt}${of}, since: ${terminalText(message)}`;
}

const ACTIVITY_NAMES: Record<string, string> = {
  steersmanLoadRun: 'loading',
  steersmanCallModel: 'model call',
  steersmanCallTool: 'tool call',
  steersmanResolveModel: 'choosing a model',
  steersmanStoreText: 'storing text',
  steersmanCompareFile: 'comparing a file',
};
