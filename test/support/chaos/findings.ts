/** What must hold of a run after a chaos, told from its history, its conversation and the tools' own log. */
import { defaultPayloadConverter } from '@temporalio/common';
import type { JournalEvent } from '../../../src/core/journal.js';
import { type Message, type ToolEnding, textOf, toolCallsOf } from '../../../src/core/message.js';
import type { FakeMcpEvent } from '../fake-mcp-server.js';
import type { RecordedPart } from '../histories.js';
import { pairingFaults } from '../pairing.js';
import type { People } from './people.js';

export interface Evidence {
  people: People;
  histories: readonly RecordedPart[];
  transcript: readonly Message[];
  /** Of all runs. */
  toolLog: readonly FakeMcpEvent[];
  /** Its model misbehaves: a run may end without success. */
  mayFail: boolean;
}

/** Sentences about what is wrong; none when all is well. */
export function faultsOf(evidence: Evidence): string[] {
  const { people, histories, transcript, mayFail } = evidence;
  return [
    ...people.faults,
    ...watcherFaults(people),
    ...(mayFail ? [] : outcomeFaults(people)),
    ...taskFaults(histories),
    ...messageFaults(evidence),
    ...pairing(transcript),
    ...effectFaults(evidence),
  ];
}

/** Each event once, in order, from the first to the last. */
function watcherFaults({ events, end, toldOfGap }: People): string[] {
  const faults = end === null ? ['the watcher did not see the end'] : [];
  const odd = events.find(({ seq }, index) => seq !== index + 1);
  if (odd) faults.push(`the watcher saw event ${odd.seq} (${odd.type}) as number ${events.indexOf(odd) + 1}`);
  if (end !== null && !toldOfGap && events.at(-1)?.type !== 'run_ended') {
    faults.push(`the last event that the watcher saw is ${events.at(-1)?.type}`);
  }
  return faults;
}

function outcomeFaults({ end }: People): string[] {
  if (end === null || end.outcome === 'completed') return [];
  return [`the outcome is ${end.outcome}: ${end.failure?.message}`];
}

/** Causes of failed workflow tasks that belong to a life among faults; any other is a fault of the code. */
const HARMLESS_CAUSES: ReadonlySet<number> = new Set([
  1, // unhandled command: something arrived while the task ran
  13, // the sticky queue was reset
  17, // the server gave up on a task
  31, // unhandled update
]);

function taskFaults(histories: readonly RecordedPart[]): string[] {
  return histories.flatMap(({ history }) =>
    (history.events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
      !failed || HARMLESS_CAUSES.has(failed.cause ?? 0)
        ? []
        : [`a workflow task failed (cause ${failed.cause}): ${failed.failure?.message}`],
    ),
  );
}

/** Each message that the server took is in the conversation once, or was refused with a receipt; never both. */
function messageFaults({ people, histories, transcript }: Evidence): string[] {
  const said = transcript.flatMap(message =>
    message.kind === 'user' && (message.purpose === 'steer' || message.purpose === 'goal')
      ? [textOf(message)]
      : [],
  );
  return arrivals(histories).flatMap(({ id, text }) => {
    const places = said.filter(each => each.includes(text)).length;
    const receipts = receiptsOf(people.events, id);
    if (people.toldOfGap && receipts.length < 2) return [];
    const ends = receipts.filter(status => status === 'applied' || status === 'dropped');
    if (receipts[0] !== 'accepted') return [`${id} has the receipts ${receipts.join(', ') || 'none'}`];
    if (ends.length !== 1) return [`${id} ended ${ends.length} times: ${receipts.join(', ')}`];
    const due = ends[0] === 'applied' ? 1 : 0;
    return places === due ? [] : [`${id} was ${ends[0]} and is in the conversation ${places} times`];
  });
}

function receiptsOf(events: readonly JournalEvent[], id: string): string[] {
  return events.flatMap(event => (event.type === 'receipt' && event.id === id ? [event.state] : []));
}

/** Messages in the order in which the server took them, each once. */
function arrivals(histories: readonly RecordedPart[]): { id: string; text: string }[] {
  const messages = histories.flatMap(({ history }) =>
    (history.events ?? []).flatMap(event => {
      const { signalName, input } = event.workflowExecutionSignaledEventAttributes ?? {};
      const [payload] = input?.payloads ?? [];
      if ((signalName !== 'steer' && signalName !== 'followUp') || !payload) return [];
      return [defaultPayloadConverter.fromPayload<{ id: string; text: string }>(payload)];
    }),
  );
  return [...new Map(messages.map(message => [message.id, message])).values()];
}

function pairing(transcript: readonly Message[]): string[] {
  const { open, stray } = pairingFaults(transcript);
  return [
    ...open.map(id => `the call ${id} has no result`),
    ...stray.map(id => `the result ${id} has no call, or is one too many`),
  ];
}

/** Endings of calls that can have had an effect. */
const MAY_HAVE_RUN: ReadonlySet<ToolEnding> = new Set(['executed', 'outcome_unknown']);

/** A call with an effect reaches its tool at most once, did so where it is said to, and not where it is not. */
function effectFaults({ people, transcript, toolLog }: Evidence): string[] {
  const run = people.handle.workflowId;
  const own = toolLog.filter(({ event, _meta }) => event === 'effect' && _meta?.['steersman/runId'] === run);
  // Every call of the script has a line of its own.
  const lines = own.map(({ args }) => String(args?.line));
  const asked = new Map(
    transcript
      .flatMap(message => (message.kind === 'assistant' ? toolCallsOf(message) : []))
      .map(({ id, input }) => [id, String(input.line)]),
  );
  const results = transcript.flatMap(message => (message.kind === 'tool_result' ? message.content : []));
  const effects = results.filter(({ toolName }) => toolName.startsWith('append_'));
  const told = effects.map(({ toolUseId }) => asked.get(toolUseId));
  return [
    ...[...new Set(lines)].flatMap(line => {
      const times = lines.filter(each => each === line).length;
      return times === 1 ? [] : [`${line.slice(0, 20)} was written ${times} times`];
    }),
    ...effects.flatMap(({ toolUseId, ending, isError }) => {
      const happened = lines.includes(asked.get(toolUseId) ?? '');
      if (happened && !MAY_HAVE_RUN.has(ending))
        return [`the call ${toolUseId} is ${ending} and had its effect`];
      if (happened || ending !== 'executed' || isError) return [];
      return [`the call ${toolUseId} is executed, without its effect`];
    }),
    ...lines
      .filter(line => !told.includes(line))
      .map(line => `the effect of ${line.slice(0, 20)} has no result`),
  ];
}
