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

/** Reads the facts once; after a failure, again at the next call. */
export function readAbout(): void {
  if (about.peek() !== null) return;
  get<About>('about').then(
    facts => {
      about.value = facts;
    },
    () => undefined,
  );
  // It takes longer, because a worker is asked.
  get<string[]>('folders').then(
    served => {
      folders.value = served;
    },
    () => undefined,
  );
}
