/** Facts about the console: its folder, the origin for apps, and what a start can choose from. */
import { signal } from '@preact/signals';
import type { Limits, StartChoices } from 'steersman/client';
import { get } from './ask.js';

interface About extends Omit<StartChoices, 'limits'> {
  workspace: string;
  /** URL of the frames of apps; null: apps are shown as text. */
  sandbox: string | null;
  limits: Limits;
}

export const about = signal<About | null>(null);
/** Folders that the workers serve. */
export const folders = signal<string[]>([]);
/** Models that endpoints tell when they are asked. */
export const models = signal<string[]>([]);

/** Reads the facts once; after a failure, again at the next call. */
export function readAbout(): void {
  if (about.peek() !== null) return;
  get<About>('about').then(
    facts => {
      about.value = facts;
    },
    () => undefined,
  );
  // These take longer, because a worker and endpoints are asked.
  for (const [path, served] of [
    ['folders', folders],
    ['models', models],
  ] as const)
    get<string[]>(path).then(
      found => {
        served.value = found;
      },
      () => undefined,
    );
}
