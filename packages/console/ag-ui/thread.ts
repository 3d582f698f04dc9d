/** A thread of AG-UI: the runs of one conversation. The first run has the thread's id. */

import { agUiEvents, type Conversation, goalOf, textOf } from '@steersman/ag-ui';
import { definedOptions } from '@steersman/print';
import {
  fromChatMessages,
  type Run,
  type StartOptions,
  type StartPicture,
  type SteersmanClient,
  SteersmanError,
} from 'steersman/client';
import { idInSession } from 'steersman/run';
import { unlessUnknown } from 'steersman/shared';
import { type AgUiInput, ownOf } from './input.js';
import type { UserInput } from './send.js';

/** At most this many runs of a thread are read again. */
const MOST_RUNS = 100;

/** Returns the last runs of a thread, oldest first; empty if the thread is unknown. */
export async function runsOf(client: SteersmanClient, thread: string): Promise<Run[]> {
  const runs: Run[] = [];
  for (let number = 1; ; number += 1) {
    const run = await client.attach(idInSession(thread, number)).catch(unlessUnknown);
    if (run === null) return runs.slice(-MOST_RUNS);
    runs.push(run);
  }
}

/** Adds the goal of a run's start, which its events have on one line. Without it, that line must do. */
export async function recallStart(run: Run, conversation: Conversation): Promise<void> {
  const start = await run.startedWith().catch(() => null);
  if (start !== null) conversation.begin(run.id, start.goal);
}

/** Adds the messages of an ended run to the conversation. */
export async function recall(run: Run, conversation: Conversation): Promise<void> {
  await recallStart(run, conversation);
  const words = agUiEvents(run.id);
  for await (const event of run.events({ live: false })) {
    conversation.hear(run.id, event);
    for (const message of words(event)) conversation.take(message);
  }
}

/** Starts the next run of the thread. The first run also gets the client's messages that precede its goal. */
export async function startRun(
  client: SteersmanClient,
  input: AgUiInput,
  { said, isFirst, workspace }: { said: readonly UserInput[]; isFirst: boolean; workspace: string },
): Promise<Run> {
  const goal = goalOf(said);
  const pictures = said.flatMap(each => each.pictures) as StartPicture[];
  if (goal === '')
    throw new SteersmanError(
      `There is no run ${input.threadId} yet, and no message in the input could be its goal.`,
      'The last of `messages` must have the role user and a text as its content.',
      'usage',
    );
  const { when: _when, ...own } = ownOf(input);
  const systemMessage = isFirst ? systemMessageOf(input) : '';
  const before = isFirst ? messagesBefore(input) : [];
  return client.start(goal, {
    workspace,
    attended: true,
    // Clients such as React in strict mode send their first request twice: both have the same request id.
    requestId: [input.threadId, ...said.map(({ id }) => id)].join(' '),
    ...definedOptions(own),
    ...toolsOf(input),
    ...(pictures.length > 0 && { pictures }),
    ...(systemMessage !== '' && { systemMessage }),
    ...(before.length > 0 ? { id: input.threadId, messages: before } : { session: input.threadId }),
  });
}

/** Declares the client's tools: its next request contains their results. */
function toolsOf({ tools }: AgUiInput): Pick<StartOptions, 'tools'> {
  if (!tools || tools.length === 0) return {};
  const declared = tools.map(({ name, description, parameters }) => ({
    name,
    ...(description && { description }),
    ...(parameters && { inputSchema: parameters }),
  }));
  return { tools: declared };
}

function systemMessageOf({ messages, context }: AgUiInput): string {
  const systemMessages = messages.filter(({ role }) => role === 'system' || role === 'developer');
  const known = (context ?? []).map(({ description, value }) => `${description}: ${value}`);
  return [...systemMessages.map(textOf), ...known].filter(text => text !== '').join('\n\n');
}

function messagesBefore({ messages }: AgUiInput) {
  const last = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool');
  const wire = messages.slice(0, last + 1).map(({ toolCallId, toolCalls, ...message }) => ({
    ...message,
    tool_call_id: toolCallId,
    tool_calls: toolCalls,
  }));
  return fromChatMessages(wire);
}
