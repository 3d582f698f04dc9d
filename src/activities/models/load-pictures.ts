/** Pictures that tools returned or a person gave, for models with vision: they are stored by reference, and only requests contain them. */
import { imageSize } from 'image-size';
import { contentText, pictureIn } from '../../conversation/tool-result.js';
import type { Picture, Pictures } from '../../models/provider/provider.js';
import type { Message, ToolContent, UserMessage } from '../../run/messages/message.js';

/** Reads a blob shown to the run; null if it no longer exists. */
export type ReadBlob = (ref: string, maxBytes: number) => Promise<Uint8Array | null>;

/** The size of one picture that every provider accepts: Anthropic takes 5 MB in base64. */
const PICTURE_BYTES = 3_750_000;
/** The limit for a request's pictures: the smallest request limit of a provider is 32 MB. */
const REQUEST_BYTES = 12_000_000;
const REQUEST_PICTURES = 20;
/** The number of oldest pictures dropped at once, so that the beginning of requests stays stable for a while. */
const STEP = 10;

const TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** The messages of a request, and their pictures. */
export interface Seen {
  messages: Message[];
  pictures: Pictures;
}

/** Loads the latest pictures of a conversation, as many as a request can have. Unreadable ones are replaced by the reason. */
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
const UNREADABLE = 'This picture cannot be read now. Where it is needed, call the tool again.';

/** The width and height that providers accept: Anthropic has the lowest limit. */
const PICTURE_PIXELS = 8_000;
const MIME_TYPES: Readonly<Record<string, Picture['mimeType']>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** Returns a picture's type by its bytes, ignoring the tool's claim (FE5); or why models can't be shown it. */
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

/** Replaces the picture's reference, which leads nowhere, by the reason. */
function withoutMissing(message: Message, missing: ReadonlyMap<string, string>): Message {
  if (message.kind === 'user') return withoutOwn(message, missing);
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

function withoutOwn(message: UserMessage, missing: ReadonlyMap<string, string>): UserMessage {
  const notes = (message.pictures ?? []).flatMap(({ ref, name }) => {
    const why = missing.get(ref);
    return why === undefined ? [] : [{ type: 'text' as const, text: `[${name}: ${why}]` }];
  });
  return notes.length === 0 ? message : { ...message, content: [...message.content, ...notes] };
}

interface Found {
  ref: string;
  mimeType: Picture['mimeType'];
  totalBytes: number;
}

function picturesIn(message: Message): Found[] {
  return shownIn(message).flatMap(found => {
    return found && isTaken(found.mimeType) && found.totalBytes <= PICTURE_BYTES
      ? [{ ...found, mimeType: found.mimeType }]
      : [];
  });
}

function shownIn(message: Message) {
  if (message.kind === 'user') return message.pictures ?? [];
  return message.kind === 'tool_result' ? message.content[0].content.map(pictureIn) : [];
}

function isTaken(mimeType: string): mimeType is Picture['mimeType'] {
  return TYPES.includes(mimeType);
}

function latest(found: readonly Found[]): readonly Found[] {
  const bytes = found.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
  if (found.length <= REQUEST_PICTURES && bytes <= REQUEST_BYTES) return found;
  return latest(found.slice(Math.min(STEP, Math.ceil(found.length / 2))));
}
