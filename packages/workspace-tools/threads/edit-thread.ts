/** The thread of an `edit` call for a large file. */
import { parentPort, workerData } from 'node:worker_threads';
import { errorText } from 'steersman/base';
import { type Edit, type Edited, editText } from '../files/edit-text.js';
import type { ThreadData } from './call-thread.js';

export type EditAnswer = { value: Edited } | { error: string };

const { data } = workerData as ThreadData<{ source: string; edits: Edit[] }>;

function answer(): EditAnswer {
  try {
    return { value: editText(data.source, data.edits) };
  } catch (error) {
    return { error: errorText(error) };
  }
}

parentPort?.postMessage(answer());
