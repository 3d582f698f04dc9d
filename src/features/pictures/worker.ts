/** The worker's part of pictures: stores a start's pictures with the texts of the run. */
import type { WorkerFeature } from '../../activities/feature.js';
import { runIdOf } from '../../activities/store-text.js';
import type { PictureRef } from '../../run/messages/message.js';
import './rules.js';

export const pictures: WorkerFeature = {
  name: 'pictures',
  hears:
    ({ blobs }) =>
    async ({ pictures: given = [] }) => {
      if (given.length === 0) return {};
      const runId = runIdOf();
      const stored: PictureRef[] = [];
      for (const { name, mimeType, base64 } of given) {
        const bytes = Buffer.from(base64, 'base64');
        stored.push({ ref: await blobs.put(runId, bytes), name, mimeType, totalBytes: bytes.length });
      }
      return { pictures: stored };
    },
};
