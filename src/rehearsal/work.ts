/** The kinds of work that goals are split into, and which a goal needs. */
import type { Intent } from './goal.js';

/**
 * `survey`: list the folder; `read`: files named, README, manifests, headings; `source`: all text, to count and
 * search; `write`: the answer into a file.
 */
const WORKS = ['survey', 'read', 'source', 'write'] as const;
export type Work = (typeof WORKS)[number];

/** Every kind that the goal needs, in order. */
export function workFor(intent: Intent): Work[] {
  const { topics, files, folders, words, related, writeTo } = intent;
  const asks = (...wanted: Intent['topics']) => topics.some(topic => wanted.includes(topic));
  const needsSource = asks('lines', 'todos') || words.length + related.length > 0;
  const needsRead = asks('readme', 'headings', 'dependencies') || files.length > 0;
  const work: Work[] = [];
  if (topics.length > 0 || needsSource || folders.length > 0) work.push('survey');
  if (needsRead) work.push('read');
  if (needsSource) work.push('source');
  if (writeTo !== null) work.push('write');
  return work;
}

/** The kind of work that a task id names: `source`, `source-2`; null for tasks of another planner. */
export function workOfTask(taskId: string): Work | null {
  const name = taskId.replace(/-\d+$/, '');
  return WORKS.find(work => work === name) ?? null;
}
