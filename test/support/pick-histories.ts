/** Which of many recorded histories are worth a place in the repository, and what of the machine is taken out of them. */
import { hostname } from 'node:os';
import type { Payload } from '@temporalio/common';
import { pack, packedText } from '../../src/activities/pack.js';
import type { NamedHistory } from './histories.js';
import { factsOf, SUBJECTS } from './history-facts.js';
import { projectRoot } from './project.js';

interface Candidate {
  of: NamedHistory;
  /** What it would hold, each with whether it goes on. */
  holds: string[];
  bytes: number;
}

/** So many tests hold a subject from its beginning. Of parts that go on, which are large, one holds it. */
const HELD_BY = 2;

/**
 * Histories that hold all subjects, and all else that is seen: small ones, of tests that differ. What a subject needs and
 * the recording lacks, because another moment came first, stays as `before` holds it.
 */
export function pickHistories(
  recorded: readonly NamedHistory[],
  before: readonly NamedHistory[] = [],
): NamedHistory[] {
  const held = new Map<string, Set<string>>();
  const picked = take(recorded, held, wanted);
  const names = new Set(picked.map(({ name }) => name));
  const stays = take(before, held, fact => (isOfSubject(fact) && !held.has(fact) ? 1 : 0));
  return [
    ...picked,
    ...stays.map(({ name, ...of }) => ({ ...of, name: names.has(name) ? `${name}.before` : name })),
  ];
}

/** Takes the most worthy again and again, until nothing is wanted any more. `held`: facts, with the tests that hold them. */
function take(
  from: readonly NamedHistory[],
  held: Map<string, Set<string>>,
  wants: (fact: string) => number,
): NamedHistory[] {
  const left = new Set(from.filter(isWhole).map(candidateOf));
  const picked: NamedHistory[] = [];
  const gain = ({ of: { name }, holds }: Candidate) =>
    holds.filter(fact => {
      const by = held.get(fact) ?? new Set();
      return by.size < wants(fact) && !by.has(testOf(name));
    }).length;
  for (;;) {
    let best: Candidate | undefined;
    let most = 0;
    for (const candidate of left) {
      const worth = gain(candidate) / candidate.bytes;
      if (worth > most) [best, most] = [candidate, worth];
      // What it would hold is held: nothing makes that undone.
      if (worth === 0) left.delete(candidate);
    }
    if (best === undefined) return picked;
    left.delete(best);
    picked.push(best.of);
    const test = testOf(best.of.name);
    for (const fact of best.holds) held.set(fact, (held.get(fact) ?? new Set()).add(test));
  }
}

function isOfSubject(fact: string): boolean {
  return SUBJECTS.includes(fact.slice(fact.indexOf(' ') + 1));
}

function wanted(fact: string): number {
  return fact.startsWith('begun ') && isOfSubject(fact) ? HELD_BY : 1;
}

/** The name of the test that made it. */
function testOf(name: string): string {
  return name.split('.').slice(0, 2).join('.');
}

function candidateOf(of: NamedHistory): Candidate {
  const { facts, isContinued } = factsOf(of.history);
  const holds = [...facts].map(fact => `${isContinued ? 'continued' : 'begun'} ${fact}`);
  return { of, holds, bytes: JSON.stringify(of.history).length };
}

/** Its last workflow task was carried out: the run has ended, or waits. */
function isWhole({ history }: NamedHistory): boolean {
  const last = history.events?.findLast(
    event =>
      event.workflowTaskCompletedEventAttributes ??
      event.workflowTaskFailedEventAttributes ??
      event.workflowTaskTimedOutEventAttributes ??
      event.workflowTaskScheduledEventAttributes,
  );
  return last?.workflowTaskCompletedEventAttributes != null;
}

const HOST = `@${hostname()}`;
const ROOT = projectRoot.replace(/\/$/, '');

/** Without the names of this machine and of its folders; changes `value`, which is a part of a history. */
export function withoutMachine<T>(value: T): T {
  if (typeof value === 'string') return neutral(value) as T;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (isPayload(value)) value.data = neutralData(value);
  for (const [key, part] of Object.entries(value)) Reflect.set(value, key, withoutMachine(part));
  return value;
}

function neutral(text: string): string {
  return text.replaceAll(HOST, '@host').replaceAll(ROOT, '/steersman');
}

function isPayload(value: object): value is Payload & { data: Uint8Array } {
  return 'metadata' in value && 'data' in value && value.data instanceof Uint8Array;
}

function neutralData(payload: Payload & { data: Uint8Array }): Uint8Array {
  const text = payloadText(payload);
  const changed = neutral(text);
  if (changed === text) return payload.data;
  return isPacked(payload) ? pack(JSON.parse(changed)) : Buffer.from(changed);
}

/** What a payload says, also where it is packed. */
export function payloadText(payload: Payload & { data: Uint8Array }): string {
  return isPacked(payload) ? packedText(payload.data) : Buffer.from(payload.data).toString();
}

function isPacked({ metadata }: Payload): boolean {
  return Buffer.from(metadata?.encoding ?? []).toString() === 'binary/plain';
}

/** All payloads in a part of a history. */
export function payloadsOf(value: unknown): (Payload & { data: Uint8Array })[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return [...(isPayload(value) ? [value] : []), ...Object.values(value).flatMap(payloadsOf)];
}
