/** What the console works with: its folder, the place for apps, and the modes. */
import { signal } from '@preact/signals';
import { get } from './ask.js';

interface About {
  workspace: string;
  /** Where apps have their frames; null: they are shown as text. */
  sandbox: string | null;
  modes: string[];
}

export const about = signal<About | null>(null);

/** Once; where it fails, at the next need. */
export function readAbout(): void {
  if (about.peek() !== null) return;
  get<About>('about').then(
    told => {
      about.value = told;
    },
    () => undefined,
  );
}
