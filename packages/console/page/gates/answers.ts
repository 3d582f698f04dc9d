/** Gates that this tab has answered or postponed, and how others were closed. */

import { signal } from '@preact/signals';
import type { GateClosed } from '@steersman/view';
import type { Gate, RunEvent, RunSnapshot } from 'steersman/client';
import { get, post, runPath } from '../ask.js';
import { forget, keepInTab } from '../parts/draft.js';
import { named, said, t, type Word } from '../words/words.js';

/** Returns a key that identifies a gate among those of all runs. */
export function gateKey(run: string, gateId: string): string {
  return `${run} ${gateId}`;
}

const answering = new Set<string>();

/** True if this tab has answered the gate, or is sending an answer. */
export function isAnsweredHere(key: string): boolean {
  return answering.has(key);
}

/** Gates whose answer the run has accepted: they are hidden before the run reports their end. */
export const taken = signal<ReadonlySet<string>>(new Set());

/** Sends the answer `input`, from `replyTo`. Throws the run's refusal with its message. */
export async function answerGate(run: string, gate: Gate, input: Record<string, unknown>): Promise<void> {
  const key = gateKey(run, gate.id);
  // The run may report the closed gate before its response arrives here.
  answering.add(key);
  try {
    await post(runPath(run, 'answer'), { ...input, gateId: gate.id });
  } catch (error) {
    answering.delete(key);
    throw error;
  }
  taken.value = new Set([...taken.value, key]);
  forget(...DRAFTS.map(name => draftKey(key, name)));
}

const DRAFTS = ['reason', 'arguments', 'except', 'text', 'to', 'fields'] as const;
export type DraftName = (typeof DRAFTS)[number];

export function draftKey(key: string, name: DraftName | `except ${number}`): string {
  return `gate ${key} ${name}`;
}

const LATER = 'steersman-later';

/** Gates that this tab has postponed: they stay open. */
export const later = signal<readonly string[]>(JSON.parse(sessionStorage.getItem(LATER) ?? '[]') as string[]);

export function putOff(key: string, off: boolean): void {
  later.value = [...later.value.filter(each => each !== key), ...(off ? [key] : [])];
  keepInTab(LATER, JSON.stringify(later.value));
}

/** The end of a gate is searched in this many of the last events. */
const LOOKED_AT = 60;

/** Returns a text about who closed the gate, and how. */
export async function howClosed(run: string, gateId: string): Promise<string> {
  try {
    const { lastEventSeq, outcome } = await get<RunSnapshot>(runPath(run));
    const since = Math.max(0, (lastEventSeq ?? 0) - LOOKED_AT);
    const events = await get<RunEvent[]>(runPath(run, `events?since=${since}`));
    const closed = events.findLast(event => event.type === 'gate_closed' && event.gateId === gateId);
    if (closed?.type === 'gate_closed') return closedWords(closed);
    if (outcome !== null) return t('closedEnded', { outcome: named('outcome', outcome) });
  } catch {
    // The gate is closed, but the reason can't be read.
  }
  return t('closedSomehow');
}

/** Decisions after which the line names what the person did, without a further text. */
const BY_PERSON = new Map<string, Word>([
  ['approve', 'closedApproved'],
  ['always', 'closedAlways'],
  ['deny', 'closedDenied'],
  ['reject', 'closedRejected'],
]);

export function closedWords({ by, decision, edited, reason }: GateClosed): string {
  // A decision is a name, such as `wrap_up`; other answers are texts, such as "raise to 5".
  const words = said(/ /.test(decision) ? decision : named('decision', decision));
  const because = reason === undefined ? '' : ` · ${reason}`;
  const what = words + because;
  switch (by) {
    case 'person': {
      const word = edited && decision === 'approve' ? 'closedEdited' : BY_PERSON.get(decision);
      return word === undefined ? t('closedByPerson', { what }) : t(word) + because;
    }
    case 'timeout':
      return t('closedByTimeout', { what });
    case 'rule':
      return t('closedByRule', { what });
    default:
      return t('closedSuperseded');
  }
}

const DECIDED: readonly string[] = ['approval', 'plan', 'route'];

/**
 * Returns the title of a closed gate. A decided question loses its question mark; a question that was answered keeps
 * it, because the answer stands next to it.
 */
export function closedTitle(kind: string, title: string): string {
  return DECIDED.includes(kind) ? title.replace(/[?？]$/, '') : title;
}
