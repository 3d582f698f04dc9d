/** Sends the contents of an AG-UI request to an existing run: answers, results of the client's tools, messages. */

import {
  type AgUiEvent,
  type AgUiPicture,
  asksPerson,
  gateOf,
  interruptId,
  replyOf,
  textOf,
  toolCallOf,
} from '@steersman/ag-ui';
import { definedOptions } from '@steersman/print';
import { type Run, type RunSnapshot, SteersmanError } from 'steersman/client';
import type { Hub } from '../hub.js';
import type { Followed } from './followed.js';
import { type AgUiInput, ownOf } from './input.js';

export interface Sent {
  /** The run's last event before something was sent; null if nothing was. */
  since: number | null;
  /** Events for the client about what was sent. */
  told: AgUiEvent[];
  /** Texts that a run refused because it has ended. */
  texts: string[];
  /** The run's state after it refused something: it may have moved on since the watcher's look. */
  now?: RunSnapshot;
}

interface News {
  news: readonly UserInput[];
  hub: Hub;
}

export async function send(input: AgUiInput, followed: Followed, { news, hub }: News): Promise<Sent> {
  const { run } = followed;
  // The watcher's snapshot may be slightly outdated.
  const snapshot = await run.show();
  const told: AgUiEvent[] = [];
  const answered = await resume(input, { ...followed, snapshot }, told);
  const brought = await bringResults(input, run, { snapshot, told });
  if (answered || brought || told.length > 0) hub.changed(run.id);
  const since = answered || brought ? snapshot.lastEventSeq : null;
  const sent: Sent = { since, told, texts: [], ...(told.length > 0 && { now: await run.show() }) };
  const say = snapshot.phase === 'idle' ? followUp : steer;
  for (const [index, message] of news.entries()) {
    const state = snapshot.endedAt === null ? await say(input, run, message).catch(unlessEnded) : null;
    if (state === null) return { ...sent, texts: news.slice(index).map(({ text }) => text) };
    if (message.pictures.length > 0) told.push(notSeen(message.id));
    if (state !== 'dropped') sent.since ??= snapshot.lastEventSeq ?? 0;
  }
  return sent;
}

/** A user's message. */
export interface UserInput {
  id: string;
  text: string;
  pictures: AgUiPicture[];
}

async function steer(input: AgUiInput, run: Run, { id, ...said }: UserInput): Promise<string | null> {
  return (await run.steer(wordsOf(said), { id, ...definedOptions({ when: ownOf(input).when }) })).state;
}

async function followUp(_input: AgUiInput, run: Run, { id, ...said }: UserInput): Promise<string | null> {
  return (await run.followUp(wordsOf(said), { id })).state;
}

/** Names the pictures, because an open run does not accept any. */
function wordsOf({ text, pictures }: Omit<UserInput, 'id'>): string {
  return [text, ...pictures.map(({ name }) => `[Picture: ${name}, not shown]`)].join('\n');
}

function unlessEnded(error: unknown): null {
  if (error instanceof SteersmanError && error.code === 'ended') return null;
  throw error;
}

/** Returns true if a gate was answered. The first answer of a gate wins: a later one is reported to its client. */
async function resume(
  { resume: entries, threadId }: AgUiInput,
  { run, snapshot, gates }: Followed,
  told: AgUiEvent[],
): Promise<boolean> {
  let answered = false;
  const seen = new Set<string>();
  for (const [index, { interruptId, ...entry }] of (entries ?? []).entries()) {
    if (seen.has(interruptId)) continue;
    seen.add(interruptId);
    const at = `resume[${index}]`;
    const gateId = gateOf(run.id, interruptId);
    const gate = snapshot?.gates.find(({ id }) => id === gateId);
    const isOld = gateId === null ? interruptId.startsWith(threadId) : gates.has(gateId);
    if (!gate || !asksPerson(gate)) {
      if (!isOld)
        throw new SteersmanError(`${at}.interruptId: there is no interrupt ${interruptId}.`, '', 'usage');
      told.push(closed(interruptId, 'It has its answer already, or the run no longer waits for it.'));
      continue;
    }
    const reply = replyOf(gate, entry);
    if (reply === null)
      throw new SteersmanError(
        `${at}.payload does not fit the responseSchema of ${interruptId}.`,
        '',
        'usage',
      );
    const refused = await run.answerGate(gate.id, reply).then(() => null, whyRefused);
    if (refused === null) answered = true;
    else told.push(closed(interruptId, refused));
  }
  return answered;
}

/** A run accepts pictures only with its first goal. */
function notSeen(messageId: string): AgUiEvent {
  const message = 'The pictures of this message are not shown: an open run takes none. Its text is.';
  return { type: 'CUSTOM', name: 'steersman.pictures_not_taken', value: { messageId, message } };
}

function closed(interruptId: string, message: string): AgUiEvent {
  return { type: 'CUSTOM', name: 'steersman.not_taken', value: { interruptId, message } };
}

function whyRefused(error: unknown): string {
  if (error instanceof SteersmanError && (error.code === 'rejected' || error.code === 'ended'))
    return error.message;
  throw error;
}

/** Returns true if a call of a client's tool got its result. Each request also repeats the results of earlier calls. */
async function bringResults(
  { messages }: AgUiInput,
  run: Run,
  { snapshot, told }: { snapshot: RunSnapshot; told: AgUiEvent[] },
): Promise<boolean> {
  let brought = false;
  for (const gate of snapshot.gates) {
    const call = gate.kind === 'clientTool' ? toolCallOf(run.id, gate) : null;
    const result = call === null ? undefined : messages.findLast(({ toolCallId }) => toolCallId === call);
    if (!result) continue;
    const failure = typeof result.error === 'string' ? result.error : null;
    const content = failure ?? textOf(result);
    // Another client may have sent a result first.
    const refused = await run
      .answerGate(gate.id, { content, isError: failure !== null })
      .then(() => null, whyRefused);
    if (refused === null) brought = true;
    else told.push(closed(interruptId(run.id, gate.id), refused));
  }
  return brought;
}
