/** Hooks that are addresses: a signed POST, which is retried if no answer arrives. */

import { createHmac } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { pause } from '../../activities/stop-signal.js';
import { isRecord, isText, parseJson } from '../../base/json/json.js';
import { errorTextWithCause } from '../../base/text/error-text.js';
import { preview } from '../../base/text/preview.js';
import { type Note, readNote } from '../../run/state/note.js';
import { outward } from '../../shared/http/outward-fetch.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { unlessOver, withinTime } from '../../shared/waits.js';
import type { CallHook } from './activity.js';
import type { HookSettings } from './config.js';

const FIRST_PAUSE_MS = 250;
const ANSWER_BYTES = 64_000;
const FAULT_CHARS = 300;

interface Target {
  url: string;
  secret: string;
  timeoutMs: number;
  attempts: number;
}

/** @throws SteersmanError if a variable with a secret is not set. */
export function httpHooks(settings: HookSettings, lookup: (name: string) => string | undefined): CallHook {
  const targets = new Map(
    Object.entries(settings).map(([hook, { secretVariable, ...how }]) => {
      const secret = lookup(secretVariable);
      if (secret === undefined)
        throw new SteersmanError(
          `The hook ${hook} of steersman.yaml is signed with ${secretVariable}, which is not set.`,
          `Set ${secretVariable} in .env or the environment of the worker.`,
        );
      return [hook, { ...how, secret }] as const;
    }),
  );
  return async (hook, told, signal) => {
    const target = targets.get(hook);
    if (!target) return { goOn: true };
    const reply = await post(target, told.key, { body: JSON.stringify({ hook, ...told }), signal });
    const answer = reply.replace(/^\uFEFF/, '').trim();
    const word = hook === 'onTurnEnd' ? wordOf(answer, target) : { goOn: true };
    return { ...word, notes: notesIn(answer) };
  };
}

/** An empty answer means to continue. An unreadable one may have meant to stop. */
function wordOf(text: string, { url }: Target): { goOn: boolean; why?: string } {
  if (text === '') return { goOn: true };
  const parsed = parseJson(text);
  if (!isRecord(parsed) || (parsed.continue !== undefined && typeof parsed.continue !== 'boolean'))
    throw lasting(`${shown(url)}: its answer is neither empty nor {"continue": true} or false: ${text}`);
  return { goOn: parsed.continue !== false, ...(isText(parsed.reason) && { why: parsed.reason }) };
}

/** Returns the notes of an answer; anything else in their place is ignored. */
function notesIn(answer: string): Note[] {
  const parsed = parseJson(answer);
  const notes = isRecord(parsed) && Array.isArray(parsed.notes) ? parsed.notes : [];
  return notes.map(readNote).filter(note => note !== null);
}

/** Returns a failure that is not retried, because all attempts are used. */
function lasting(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(preview(message, FAULT_CHARS), 'hook');
}

/** Returns the text of a successful answer. */
async function post(target: Target, key: string, request: Request): Promise<string> {
  const { signal } = request;
  for (let attempt = 1; ; attempt += 1) {
    const { answer, fault, isLasting } = await tryPost(target, key, request);
    if (answer !== undefined) return answer;
    const isLast = isLasting || attempt >= target.attempts;
    if (!isLast) await unlessOver(signal, pause(FIRST_PAUSE_MS * 2 ** (attempt - 1))).catch(() => undefined);
    if (isLast || signal.aborted) throw lasting(`${shown(target.url)}: ${fault}`);
  }
}

interface Request {
  body: string;
  signal: AbortSignal;
}

type Tried =
  | { answer: string; fault?: undefined; isLasting?: undefined }
  | { answer?: undefined; fault: string; isLasting: boolean };

async function tryPost(
  { url, secret, timeoutMs }: Target,
  key: string,
  { body, signal }: Request,
): Promise<Tried> {
  const time = Math.floor(Date.now() / 1_000).toString();
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  try {
    const response = await outward.fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: withinTime(timeoutMs, signal),
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        'x-steersman-time': time,
        'x-steersman-signature': `sha256=${signature}`,
      },
      body,
    });
    if (response.ok) return { answer: await headOf(response) };
    await response.body?.cancel();
    const { status } = response;
    const isLasting = status !== 429 && status < 500;
    return {
      fault: status >= 300 && status < 400 ? `HTTP ${status}: it redirects` : `HTTP ${status}`,
      isLasting,
    };
  } catch (error) {
    return { fault: errorTextWithCause(error), isLasting: false };
  }
}

/** Larger answers are refused. */
async function headOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    bytes += part.length;
    if (bytes > ANSWER_BYTES) throw new Error(`the answer has more than ${ANSWER_BYTES} bytes`);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Leaves out the query, which may hold a token. */
function shown(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
