/** Registers every signal, update and query of a run, each with a description that the Web UI shows. */
import type { UpdateDefinition } from '@temporalio/common';
import { ApplicationFailure, setDefaultSignalHandler, setHandler, workflowInfo } from '@temporalio/workflow';
import { readersOf } from '../run/position/modes.js';
import { modeOf } from '../run/state/run-state.js';
import { hearAgent, passedOn } from './agents/agents.js';
import type { Read } from './beside/feature.js';
import { argumentsOf, seenOf } from './beside/moments.js';
import {
  answerFromCaller,
  changeModel,
  editPlan,
  hearCaller,
  ignore,
  join,
  receive,
  receiveAction,
  requestFinish,
  requestPause,
  requestResume,
  requestStop,
  setBudget,
  takeAnswer,
  takeClaim,
  withdraw,
} from './inbox/inbox-handlers.js';
import {
  answerReader,
  budgetReader,
  claimReader,
  joinReader,
  modelReader,
  planEditReader,
  readIndex,
  readMark,
  readName,
  readPageOptions,
  withdrawalReader,
} from './inbox/read-input.js';
import * as messages from './run/definitions.js';
import { modelRequestPage, toolArguments } from './run/requests.js';
import type { Run } from './run/run.js';
import { eventsPage, keepPage, messagesOf, traceView, transcript, viewOf } from './run/views.js';

const UNCALLED = 'no workflow has started this run: its gates are answered by the update answerGate';

export function registerHandlers(run: Run): void {
  registerSignals(run);
  registerUpdates(run);
  registerQueries(run);
}

function registerSignals(run: Run): void {
  setHandler(messages.steerSignal, input => receive(run, input, 'steer'), {
    description: `A message to the running goal: {"text": "…", "when": "skip" | "after-batch" | "interrupt", "to": ${readers(run)}}; when and to may be left out. It is read before the next model call.`,
  });
  setHandler(messages.followUpSignal, input => receive(run, input, 'follow-up'), {
    description: 'The next goal, after this one is answered: {"text": "…"}.',
  });
  setHandler(messages.componentActionSignal, input => receiveAction(run, input), {
    description:
      'What a person chose of a component that they were shown: {"action": "openOrder", "label": "…", "data": {}}. It is read as a message, with its data as data; it answers no gate.',
  });
  setHandler(messages.pauseSignal, input => requestPause(run, input), {
    description:
      'Holds the run before its next model or tool call. Input: {"reason": "…"} or nothing; "interrupt": true cuts off the call in flight.',
  });
  setHandler(messages.resumeSignal, input => requestResume(run, input), {
    description: 'Lets a paused run and all its paused sub-agents go on.',
  });
  setHandler(messages.stopSignal, input => requestStop(run, input), {
    description:
      'Ends the run with the results so far, without another model call. Input: {"reason": "…"} or nothing.',
  });
  setHandler(messages.finishSignal, () => requestFinish(run), {
    description: 'Ends a run that is kept open, when its goal is answered and nothing waits.',
  });
  // Signals can be broadcast; for a top-level run that would let a stranger approve.
  const called = workflowInfo().parent !== undefined;
  setHandler(
    messages.answerSignal,
    input => (called ? answerFromCaller(run, input) : ignore(run, 'answer', UNCALLED)),
    {
      description:
        'Sent by the workflow that started this run, such as its caller. From elsewhere: the update answerGate.',
    },
  );
  setHandler(messages.callerSignal, input => hearCaller(run, input), {
    description: 'Sent by the run that called this one as a sub-agent: limits, models, messages taken back.',
  });
  setHandler(messages.subagentSignal, input => hearAgent(run, input), {
    description: 'Sent by sub-agents of this run: what they ask and find out.',
  });
  for (const { definition, description, hear } of run.features.flatMap(({ signals = [] }) => signals))
    setHandler(definition, input => hear(run, input), { description });
  setDefaultSignalHandler(name => ignore(run, name, 'there is no signal of this name'));
}

/** Returns the roles that read messages. The roles of a mode from the configuration are unknown until the run has loaded. */
function readers({ state }: Run): string {
  const names = readersOf(modeOf(state)).map(role => `"${role}"`);
  return names.join(' | ') || '"a role of the mode"';
}

function registerUpdates(run: Run): void {
  const { state } = run;
  onUpdate(messages.answerGateUpdate, {
    reader: () => answerReader(state, 'answerGate'),
    act: answer => takeAnswer(run, answer),
    description:
      'Answers a gate: {"gateId": "g1", "decision": "approve" | "deny" | "always", "reason": "…"}, or {"gateId": "g1", "text": "…"} for a question.',
  });
  onUpdate(messages.submitToolResultUpdate, {
    reader: () => answerReader(state, 'submitToolResult'),
    act: answer => takeAnswer(run, answer),
    description: 'The result of a client tool: {"gateId": "g1", "content": "…", "isError": false}.',
  });
  onUpdate(messages.claimToolCallUpdate, {
    reader: () => claimReader(state),
    act: claim => takeClaim(run, claim),
    description:
      'Said before a client tool is run: {"gateId": "g1", "by": "…"}. Refused where another client has begun it.',
  });
  onUpdate(messages.editPlanUpdate, {
    reader: () => planEditReader(state),
    act: change => editPlan(run, change),
    description:
      'Adds tasks or changes those not begun: {"tasks": [{"id": "task-3", "description": "…"}]}. Fields that are left out stay as they are. {"remove": ["task-4"]} takes out what has not begun.',
  });
  onUpdate(messages.joinUpdate, {
    reader: () => joinReader(state, workflowInfo().workflowId),
    act: input => join(run, input),
    description:
      'Sent with a start by whoever goes on with a conversation: {"id": "…", "text": "…", "session": "…", "workspace": "…", "autoApprove": false, "context": {}}. Where the run was not started by it, the text is the next goal; what else is given must be as the run has it.',
  });
  onUpdate(messages.withdrawUpdate, {
    reader: () => withdrawalReader(run),
    act: id => withdraw(run, id),
    description: 'Takes back an unread message: {"id": "…"}, as state lists it in inbox.',
  });
  onUpdate(messages.setBudgetUpdate, {
    reader: () => budgetReader(state, run.ports.now()),
    act: limits => setBudget(run, limits),
    description: 'Changes limits of the run: {"tokens": 2000000}.',
  });
  onUpdate(messages.setModelUpdate, {
    reader: () => modelReader(state),
    act: given => changeModel(run, given),
    description:
      'Changes the model from the next call on, also in sub-agents: {"model": "openai/gpt-5", "role": "executor"}; without a role, of all.',
  });
  for (const { definition, description, read, act } of run.features.flatMap(({ updates = [] }) => updates))
    onUpdate<unknown, never, unknown>(definition, {
      reader: () => read(run),
      act: value => act(run, value),
      description,
    });
}

/** Registers an update. The validator rejects what the reader refuses, which adds nothing to the history. */
function onUpdate<Result, Input, T>(
  update: UpdateDefinition<Result, [Input]>,
  {
    reader,
    act,
    description,
  }: { reader: () => (input: unknown) => Read<T>; act: (value: T) => Result; description: string },
): void {
  const taken = (input: unknown): T => {
    const read = reader()(input);
    if ('error' in read)
      throw ApplicationFailure.nonRetryable(read.error, read.type ?? messages.REFUSED.plain);
    return read.ok;
  };
  // Read the input again when the update is carried out: an update of the same activation may have run first.
  setHandler(update, (input: Input) => act(taken(input)), {
    validator: input => {
      taken(input);
    },
    description,
  });
}

function registerQueries(run: Run): void {
  const { state } = run;
  setHandler(messages.stateQuery, () => viewOf(state, workflowInfo(), passedOn(run), seenOf(run)), {
    description: 'Where the run stands: phase, tasks, gates, counters, limits, usage, answer.',
  });
  setHandler(messages.eventsQuery, since => eventsPage(state, readIndex(since)), {
    description: 'Journal events after a number: 0 for all that are kept.',
  });
  setHandler(
    messages.modelRequestQuery,
    (callId, options) => modelRequestPage(state, readName(callId), readPageOptions(options), run.features),
    {
      description: 'What a model call sent: its id, such as "c12"; nothing for the latest call.',
    },
  );
  setHandler(
    messages.toolRequestQuery,
    callId => toolArguments(state, readName(callId) ?? '', id => argumentsOf(run, id)),
    {
      description: 'All arguments of the tool call in flight, or of one that waits at a gate: its callId.',
    },
  );
  setHandler(
    messages.transcriptQuery,
    (thread, from) => transcript(state, readName(thread), readIndex(from)),
    {
      description: 'Messages of a thread: "main" by default; then the index to begin at.',
    },
  );
  setHandler(
    messages.keepPageQuery,
    (after, upTo) =>
      keepPage(state, workflowInfo(), readMark(after), {
        ...(upTo !== undefined && { upTo: readMark(upTo) }),
        seen: seenOf(run),
      }),
    {
      description: 'What the store of sessions keeps of the run, after {"id": 0, "seq": 0, "step": 0}.',
    },
  );
  setHandler(messages.messagesQuery, ids => messagesOf(state, ids), {
    description: 'Messages by their ids, such as ["m12"].',
  });
  setHandler(messages.traceQuery, () => traceView(state, Date.now()), {
    description: 'The steps of the run: thought, tool, arguments, observation, duration.',
  });
  for (const { definition, description, answer } of run.features.flatMap(({ queries = [] }) => queries))
    setHandler(definition, input => answer(run, input), { description });
}
