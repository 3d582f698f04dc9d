/** Pictures that tools returned, for models that see: they are kept by reference, and only a request has them. */
import { imageSize } from 'image-size';
import { contentText, pictureIn } from '../../conversation/tool-result.js';
import type { Picture, Pictures } from '../../models/provider/provider.js';
import type { Message, ToolContent } from '../../run/messages/message.js';

/** Reads what a run is shown by reference; null where it is not there any more. */
export type ReadBlob = (ref: string, maxBytes: number) => Promise<Uint8Array | null>;

/** What every provider takes of one picture: Anthropic 5 MB in base64. */
const PICTURE_BYTES = 3_750_000;
/** Of a request: the smallest of their bounds is 32 MB. */
const REQUEST_BYTES = 12_000_000;
const REQUEST_PICTURES = 20;
/** Where there are too many, so many of the oldest go at once: the beginning of requests stays the same for a while. */
const STEP = 10;

const TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** The messages of a request, and the pictures in them. */
export interface Seen {
  messages: Message[];
  pictures: Pictures;
}

/** The latest pictures of a conversation, as many as a request can have. In the place of what can't be read stands why. */
export async function loadPictures(messages: Message[], read: ReadBlob): Promise<Seen> {
  const found = [...new Map(messages.flatMap(picturesIn).map(picture => [picture.ref, picture])).values()];
  const loaded = new Map<string, Picture>();
  const missing = new Map<string, string>();
  for (const { ref } of latest(found)) {
    const bytes = await read(ref, PICTURE_BYTES).catch(() => 'unreadable' as const);
    if (bytes === null) missing.set(ref, GONE);
    else if (bytes === 'unreadable') missing.set(ref, UNREADABLE);
    else {
      const look = lookAt(bytes);
      if (typeof look === 'string') missing.set(ref, look);
      else loaded.set(ref, { ref, mimeType: look.mimeType, base64: Buffer.from(bytes).toString('base64') });
    }
  }
  const pictures = new Map(
    messages.flatMap(message => {
      const shown = picturesIn(message).flatMap(({ ref }) => loaded.get(ref) ?? []);
      return shown.length === 0 ? [] : [[message.id, shown] as const];
    }),
  );
  return { messages: messages.map(message => withoutMissing(message, missing)), pictures };
}

const GONE = 'This picture is not kept any more. Where it is needed, call the tool again.';
const UNREADABLE = 'This picture can not be read now. Where it is needed, call the tool again.';

/** What providers take of its width and height: Anthropic the least. */
const PICTURE_PIXELS = 8_000;
const MIME_TYPES: Readonly<Record<string, Picture['mimeType']>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** What a picture is by its bytes, whatever its tool says (FE5); or why no model can be shown it. */
function lookAt(bytes: Uint8Array): Pick<Picture, 'mimeType'> | string {
  try {
    const { type = '', width, height } = imageSize(bytes);
    const mimeType = MIME_TYPES[type];
    if (mimeType === undefined) return `This picture is of a type that no model is shown (${type}).`;
    if (Math.max(width, height) <= PICTURE_PIXELS) return { mimeType };
    return `This picture has ${width} × ${height} pixels, more than models are shown (${PICTURE_PIXELS} each way). Make it smaller.`;
  } catch {
    return BROKEN;
  }
}

const BROKEN = 'This picture is broken: it is shown to no model.';

/** What stood for a picture named its reference, which leads nowhere. */
function withoutMissing(message: Message, missing: ReadonlyMap<string, string>): Message {
  if (message.kind !== 'tool_result' || missing.size === 0) return message;
  const [block] = message.content;
  const notes: string[] = [];
  const content = block.content.map((part): ToolContent => {
    const why = missing.get(pictureIn(part)?.ref ?? '');
    if (why === undefined) return part;
    notes.push(why);
    return { type: 'text', text: contentText([part]) };
  });
  if (notes.length === 0) return message;
  const note = [block.note, ...notes].filter(text => text !== '').join(' ');
  return { ...message, content: [{ ...block, note, content }] };
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
