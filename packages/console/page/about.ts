/** Facts about the console: its folder, the origin for apps, and the modes. */
import { signal } from '@preact/signals';
import { get } from './ask.js';

interface About {
  workspace: string;
  /** URL of the frames of apps; null: apps are shown as text. */
  sandbox: string | null;
  modes: string[];
}

export const about = signal<About | null>(null);

/** Reads the facts once; after a failure, again at the next call. */
export function readAbout(): void {
  if (about.peek() !== null) return;
  get<About>('about').then(
    told => {
      about.value = told;
    },
    () => undefined,
  );
}
