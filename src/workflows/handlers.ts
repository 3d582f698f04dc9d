/** Signals and queries of a run. Handlers are synchronous: signals only note, queries only read. */
import { setHandler, workflowInfo } from '@temporalio/workflow';
import { requestStop } from './goal.js';
import {
  eventsQuery,
  modelRequestQuery,
  stateQuery,
  stopSignal,
  toolRequestQuery,
  traceQuery,
  transcriptQuery,
} from './messages.js';
import { modelRequestPage, toolArguments } from './requests.js';
import type { Run } from './run.js';
import { eventsPage, traceReport, transcript, viewOf } from './views.js';

export function registerHandlers(run: Run): void {
  const { state } = run;
  setHandler(stopSignal, input => requestStop(run, input), {
    description:
      'Ends the run with what there is, without another model call. Input: {"reason": "…"} or nothing.',
  });
  setHandler(stateQuery, () => viewOf(state, workflowInfo()), {
    description: 'Where the run stands: phase, tasks, counters, limits, usage, answer.',
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
  setHandler(traceQuery, () => traceReport(state, Date.now()), {
    description: 'The steps of the run: thought, tool, arguments, observation, duration.',
  });
}
