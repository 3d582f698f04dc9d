/** Ids of tool calls as every protocol takes them: a call may go on at another provider than gave its id. */
import { createHash } from 'node:crypto';

const TAKEN_BY_ALL = /^[A-Za-z0-9_-]{1,64}$/;

/** The id itself where it can be sent anywhere, else one made of it: the same each time. */
export function wireCallId(id: string): string {
  if (TAKEN_BY_ALL.test(id)) return id;
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
