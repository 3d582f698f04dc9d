/** Registers every signal, update and query of a run, each described so that the Web UI can send it. */
import { ApplicationFailure, setHandler, workflowInfo } from '@temporalio/workflow';
import { traceReport } from '../core/trace.js';
import type { AnswerRoute } from './inbox-handlers.js';
import {
  answerFault,
  budgetFault,
  editPlan,
  readPlanEdit,
  receive,
  requestFinish,
  requestPause,
  requestResume,
  requestStop,
  setBudget,
  takeAnswer,
  withdraw,
  withdrawalFault,
} from './inbox-handlers.js';
import {
  answerGateUpdate,
  editPlanUpdate,
  eventsQuery,
  finishSignal,
  followUpSignal,
  modelRequestQuery,
  pauseSignal,
  resumeSignal,
  setBudgetUpdate,
  stateQuery,
  steerSignal,
  stopSignal,
  submitToolResultUpdate,
  toolRequestQuery,
  traceQuery,
  transcriptQuery,
  withdrawUpdate,
} from './messages.js';
import { modelRequestPage, toolArguments } from './requests.js';
import type { Run } from './run.js';
import { eventsPage, transcript, viewOf } from './views.js';

export function registerHandlers(run: Run): void {
  registerSignals(run);
  registerUpdates(run);
  registerQueries(run);
}

function registerSignals(run: Run): void {
  setHandler(steerSignal, input => receive(run, input, 'steer'), {
    description:
      'A message to the running goal: {"text": "…", "when": "skip" | "after-batch" | "interrupt"}. It is read before the next model call.',
  });
  setHandler(followUpSignal, input => receive(run, input, 'follow-up'), {
    description: 'The next goal, after this one is answered: {"text": "…"}.',
  });
  setHandler(pauseSignal, input => requestPause(run, input), {
    description:
      'Holds the run before its next model or tool call. Input: {"reason": "…"} or nothing; "interrupt": true cuts off the call in flight.',
  });
  setHandler(resumeSignal, input => requestResume(run, input), { description: 'Lets a paused run go on.' });
  setHandler(stopSignal, input => requestStop(run, input), {
    description:
      'Ends the run with what there is, without another model call. Input: {"reason": "…"} or nothing.',
  });
  setHandler(finishSignal, () => requestFinish(run), {
    description: 'Ends a run that is kept open, when its goal is answered and nothing waits.',
  });
}

function registerUpdates(run: Run): void {
  setHandler(answerGateUpdate, input => takeAnswer(run, input, 'answerGate'), {
    validator: input => refuse(answerFault(run, input, 'answerGate')),
    description:
      'Answers a gate: {"gateId": "g1", "decision": "approve" | "deny" | "always", "reason": "…"}, or {"gateId": "g1", "text": "…"} for a question.',
  });
  const via: AnswerRoute = 'submitToolResult';
  setHandler(submitToolResultUpdate, input => takeAnswer(run, input, via), {
    validator: input => refuse(answerFault(run, input, via)),
    description: 'The result of a client tool: {"gateId": "g1", "content": "…", "isError": false}.',
  });
  setHandler(editPlanUpdate, input => editPlan(run, input), {
    validator: input => {
      const edit = readPlanEdit(run, input);
      refuse(typeof edit === 'string' ? edit : null);
    },
    description: 'Adds tasks or changes those not begun: {"tasks": [{"id": "task-3", "description": "…"}]}.',
  });
  setHandler(withdrawUpdate, input => withdraw(run, input), {
    validator: input => refuse(withdrawalFault(run, input)),
    description: 'Takes back a message that nobody has read yet: {"id": "…"}, as state lists it in inbox.',
  });
  setHandler(setBudgetUpdate, input => setBudget(run, input), {
    validator: input => refuse(budgetFault(run, input)),
    description: 'Changes limits of the run: {"tokens": 2000000}.',
  });
}

/** Rejects an update before it is accepted: it costs nothing in history. */
function refuse(fault: string | null): void {
  if (fault !== null) throw ApplicationFailure.nonRetryable(fault, 'run.refused');
}

function registerQueries(run: Run): void {
  const { state } = run;
  setHandler(stateQuery, () => viewOf(state, workflowInfo()), {
    description: 'Where the run stands: phase, tasks, gates, counters, limits, usage, answer.',
  });
  setHandler(eventsQuery, (since = 0) => eventsPage(state, Number(since) || 0), {
    description: 'Journal events after a number: 0 for all that are kept.',
  });
  setHandler(modelRequestQuery, (callId, options) => modelRequestPage(state, callId, options), {
    description: 'What a model call sent: its id, such as "c12"; nothing for the latest call.',
  });
  setHandler(toolRequestQuery, callId => toolArguments(state, callId), {
    description: 'Arguments of the tool call in flight.',
  });
  setHandler(transcriptQuery, (thread, from) => transcript(state, thread, from), {
    description: 'Messages of a thread: "main" by default; then the index to begin at.',
  });
  setHandler(traceQuery, () => traceReport(state, state.end, Date.now()), {
    description: 'The steps of the run: thought, tool, arguments, observation, duration.',
  });
}
