/** Ids and names of tool calls as every protocol takes them, whatever a model wrote. */
import { createHash } from 'node:crypto';

const ID = /^[A-Za-z0-9_-]{1,40}$/;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** The id itself where it can be sent anywhere, else one made of it: the same each time. */
export function wireCallId(id: string): string {
  return ID.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/** The name of a call that is over; models call tools by names that there are not. */
export function wireToolName(name: string): string {
  if (NAME.test(name)) return name;
  return name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';
}
