/** Pictures that tools returned, for models that see: they are kept by reference, and only a request has them. */
import type { Message } from '../../core/state/message.js';
import { pictureIn } from '../../core/tools/tool-result.js';
import type { Picture, Pictures } from '../../models/provider.js';

/** Reads what a run keeps; null where it is not there any more. */
export type ReadBlob = (ref: string, maxBytes: number) => Promise<Uint8Array | null>;

/** What every provider takes of one picture: Anthropic 5 MB in base64. */
const PICTURE_BYTES = 3_750_000;
/** Of a request: the smallest of their bounds is 32 MB. */
const REQUEST_BYTES = 12_000_000;
const REQUEST_PICTURES = 20;
/** Where there are too many, so many of the oldest go at once: the beginning of requests stays the same for a while. */
const STEP = 10;

const TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** The latest pictures of a conversation, as many as a request can have. What can't be read is not shown. */
export async function loadPictures(messages: readonly Message[], read: ReadBlob): Promise<Pictures> {
  const found = [...new Map(messages.flatMap(picturesIn).map(picture => [picture.ref, picture])).values()];
  const loaded = new Map<string, Picture>();
  for (const { ref, mimeType } of latest(found)) {
    const bytes = await read(ref, PICTURE_BYTES).catch(() => null);
    if (bytes) loaded.set(ref, { ref, mimeType, base64: Buffer.from(bytes).toString('base64') });
  }
  return new Map(
    messages.flatMap(message => {
      const shown = picturesIn(message).flatMap(({ ref }) => loaded.get(ref) ?? []);
      return shown.length === 0 ? [] : [[message.id, shown] as const];
    }),
  );
}

interface Found {
  ref: string;
  mimeType: Picture['mimeType'];
  totalBytes: number;
}

function picturesIn(message: Message): Found[] {
  if (message.kind !== 'tool_result') return [];
  return message.content[0].content.flatMap(part => {
    const found = pictureIn(part);
    return found && isTaken(found.mimeType) && found.totalBytes <= PICTURE_BYTES
      ? [{ ...found, mimeType: found.mimeType }]
      : [];
  });
}

function isTaken(mimeType: string): mimeType is Picture['mimeType'] {
  return TYPES.includes(mimeType);
}

function latest(found: readonly Found[]): readonly Found[] {
  const bytes = found.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
  if (found.length <= REQUEST_PICTURES && bytes <= REQUEST_BYTES) return found;
  return latest(found.slice(Math.min(STEP, Math.ceil(found.length / 2))));
}
