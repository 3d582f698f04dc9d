/** What must hold of each run of a tree alone: its calls, their effects, its sessions, its artifacts. */
import type { Message, ToolEnding, ToolResultBlock } from '../../../src/run/messages/message.js';
import { toolCallsOf } from '../../../src/run/messages/message.js';
import type { FakeMcpEvent } from '../fake-mcp-server.js';
import { pairingFaults } from '../pairing.js';
import type { RunDraft } from './kinds.js';
import { eventsOf, firstOf, isTerminated, type RunRecord } from './records.js';
import { sessionFaults } from './session-findings.js';

export function runFaults(
  record: RunRecord,
  { toolLog, draft }: { toolLog: readonly FakeMcpEvent[]; draft: RunDraft },
): string[] {
  const ofHistory = [...taskFaults(record), ...repeatedCalls(record)];
  if (isTerminated(record)) return ofHistory;
  const faults = [
    ...ofHistory,
    ...record.threads.flatMap(pairing),
    ...effectFaults(record, toolLog),
    ...record.threads.flatMap(thread => sessionFaults(thread, draft)),
    ...artifactFaults(record),
  ];
  return faults.map(fault => `${record.id}: ${fault}`);
}

/** Causes of failed workflow tasks that belong to a life among faults; any other is a fault of the code. */
const HARMLESS_CAUSES: ReadonlySet<number> = new Set([
  1, // unhandled command: something arrived while the task ran
  13, // the sticky queue was reset
  17, // the server gave up on a task
  31, // unhandled update
]);

/** So does one whose worker stood still for over 5 s: its step was cut off. */
const CUT_OFF = 'Script execution timed out';

function taskFaults(record: RunRecord): string[] {
  return eventsOf(record).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    !failed || HARMLESS_CAUSES.has(failed.cause ?? 0) || failed.failure?.message?.startsWith(CUT_OFF)
      ? []
      : [`a workflow task failed (cause ${failed.cause}): ${failed.failure?.message}`],
  );
}

/** What has ended well is not called again. */
function repeatedCalls(record: RunRecord): string[] {
  const times = new Map<string, number>();
  for (const { history } of record.parts) {
    const called = new Map(
      (history.events ?? []).map(({ eventId, activityTaskScheduledEventAttributes: scheduled }) => [
        String(eventId),
        firstOf<{ callId?: string }>(scheduled?.input)?.callId,
      ]),
    );
    for (const { activityTaskCompletedEventAttributes: ended } of history.events ?? []) {
      const callId = called.get(String(ended?.scheduledEventId));
      if (ended && callId) times.set(callId, (times.get(callId) ?? 0) + 1);
    }
  }
  return [...times].flatMap(([callId, ended]) => (ended === 1 ? [] : [`${callId} ended ${ended} times`]));
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
function effectFaults({ id, threads }: RunRecord, toolLog: readonly FakeMcpEvent[]): string[] {
  const own = toolLog.filter(({ event, _meta }) => event === 'effect' && _meta?.['steersman/runId'] === id);
  // Every call of the script has a line of its own.
  const lines = own.map(({ args }) => String(args?.line));
  const asked = new Map(
    threads
      .flat()
      .flatMap(message => (message.kind === 'assistant' ? toolCallsOf(message) : []))
      .map(call => [call.id, String(call.input.line)]),
  );
  const effects = resultsOf(threads).filter(({ toolName }) => toolName.startsWith('append_'));
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

function resultsOf(threads: readonly (readonly Message[])[]): ToolResultBlock[] {
  return threads.flat().flatMap(message => (message.kind === 'tool_result' ? message.content : []));
}

/** As many versions as changes that it was told of. */
function artifactFaults({ end, threads }: RunRecord): string[] {
  const changes = resultsOf(threads).filter(
    ({ toolName, ending, isError }) =>
      /^(create|rewrite)_artifact$/.test(toolName) && ending === 'executed' && !isError,
  ).length;
  const artifacts = end?.result?.artifacts ?? [];
  const versions = artifacts.reduce((sum, { version }) => sum + version, 0);
  return versions === changes ? [] : [`${changes} changes of artifacts are told, and ${versions} made`];
}
