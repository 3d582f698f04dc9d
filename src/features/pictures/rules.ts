/** Pictures that a person gives with a run's first goal: they come with the start, and the store keeps them. */
import type { StartPicture } from '../../run/agents/run-config.js';
import type { PictureRef } from '../../run/messages/message.js';

declare module '../../activities/types.js' {
  interface MomentParts {
    pictures?: StartPicture[];
  }
  interface MomentEndParts {
    pictures?: PictureRef[];
  }
}

/** Returns the words that stand for pictures, also for models that do not see them. */
export function pictureWords(pictures: readonly PictureRef[]): string {
  return pictures.map(({ name }) => `[Picture: ${name}]`).join('\n');
}
