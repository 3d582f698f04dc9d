/** Formats the journal as lines for people: one line for each event; a plan adds a line for each task. Pure. */

import {
  argumentsLine,
  formatClock,
  formatCost,
  formatCount,
  formatDuration,
  plural,
  preview,
} from 'steersman/base';
import {
  basisText,
  type CallEnded,
  causeText,
  type JournalEvent,
  type JournalPayloads,
  type JournalType,
  type TraceReport,
  type TraceStep,
} from 'steersman/client';
import { gateParts, partLines } from 'steersman/rules';
import { cachedFacts, childEnd, lastLines, STEP_TEXT_CHARS } from 'steersman/run';
import type { Colors } from 'steersman/shared';
import { terminalText } from 'steersman/shared';
import { planLines, type ShownTask } from './plan-lines.js';

const ARGUMENTS_CHARS = 160;
const RESULT_CHARS = 120;
const GATE_LINES = 24;

type Describe<T extends JournalType> = (event: JournalPayloads[T], colors: Colors) => string | string[];

const DESCRIBE: { [T in JournalType]: Describe<T> } = {
  run_started: ({ mode, goal }, { bold }) => `${bold('run started')} · ${mode} · ${goal}`,
  run_loaded: ({ tools, models, warnings }, { yellow }) => [
    `loaded ${plural(tools, 'tool')}, the run's own included · ${models.join(', ')}`,
    ...warnings.map(warning => yellow(`warning: ${warning}`)),
  ],
  tools_changed: event => changedTools(event),
  mode_chosen: ({ mode, why }) => `mode ${mode}: ${why}`,
  phase_started: ({ phase, cycle }, { bold }) =>
    // The answer printed above looks final, but is not before the checks pass.
    `${bold(`${phase}${cycle > 1 ? ` · cycle ${cycle}` : ''}`)}${phase === 'checking' ? ': what was said counts if the checks pass' : ''}`,
  plan_updated: event => planLines(event, []),
  task_started: ({ taskId, description }) => `task ${taskId} started · ${description}`,
  task_ended: ({ taskId, status, reason }, { green, yellow }) =>
    (status === 'completed' ? green : yellow)(
      `task ${taskId} ${status}${reason && reason !== status ? ` (${reason})` : ''}`,
    ),
  task_overdue: ({ taskId, estimatedMs, takenMs }, { yellow }) =>
    yellow(
      `task ${taskId} takes longer than estimated: ${formatDuration(takenMs)}, not ${formatDuration(estimatedMs)}`,
    ),
  model_call_started: ({ role, round, model, taskId }) =>
    `${role} · round ${round} · ${model}${taskId ? ` · task ${taskId}` : ''}`,
  model_call_ended: modelCallEnded,
  model_call_failed: ({ model, failure, message, next }, { yellow }) => {
    // Most messages of endpoints begin with the model.
    const said = [...(message.includes(model) ? [] : [model]), failure, message, next];
    return yellow(['model call failed', ...said.filter(part => part !== '')].join(' · '));
  },
  provider_switch: ({ role, fromModel, toModel, why }, { yellow }) =>
    yellow(`${role} goes on with ${toModel} instead of ${fromModel}: ${why}`),
  output_read: ({ role, decidedBy, error }, { dim }) =>
    dim(`${role} · ${error ?? `its output is read${decidedBy ? ` · by ${decidedBy}` : ''}`}`),
  tool_call_started: event =>
    `tool ${event.tool} ${preview(argumentsLine(event.arguments), ARGUMENTS_CHARS)}`,
  tool_call_ended: toolCallEnded,
  app_call_started: event =>
    `app · tool ${event.tool} ${preview(argumentsLine(event.arguments), ARGUMENTS_CHARS)}`,
  app_call_ended: (event, colors) => `app · ${toolCallEnded(event, colors)}`,
  skill_loaded: ({ name, digest, file }) => `skill ${name} (${digest})${file ? ` · ${file}` : ''}`,
  subagent_started: ({ id }) => `sub-agent ${id} started`,
  subagent_ended: child => `sub-agent ${child.id} ended · ${childEnd(child)}`,
  reask: ({ role, errors }, { yellow }) => yellow(`${role} is asked again: ${errors.join('; ')}`),
  output_fallback: ({ role, fallback, errors }, { yellow }) =>
    yellow(`${role}: ${fallback} (${errors.join('; ')})`),
  verdict: verdictLines,
  check_started: ({ id, check, before }) => `check ${id}${before ? BEFORE : ''} · ${check}`,
  check_ended: checkEnded,
  limit_reached: ({ limit, taskId }, { yellow }) =>
    yellow(`limit reached: ${limit}${taskId ? ` · task ${taskId}` : ''}`),
  warning: ({ text }, { yellow }) => yellow(`warning: ${text}`),
  context_note: ({ text }, { yellow }) => yellow(text),
  system_event: ({ text }, { yellow }) => yellow(text),
  tool_log: ({ text }, { dim }) => dim(text),
  budget_warning: ({ budget }, { yellow }) => yellow(`80 % of a budget is used: ${budget}`),
  thread_trimmed: ({ thread, dropped, shortened, why }, { yellow }) =>
    yellow(
      `thread ${thread}: ${plural(dropped, 'message')} left out, ${plural(shortened, 'result')} shortened: ${why}`,
    ),
  thread_transformed: ({ thread, transform, leftOut, replaced, added, refused }, { dim }) =>
    dim(
      `thread ${thread}: ${transform} left out ${leftOut}, replaced ${replaced}, added ${added}${refused > 0 ? `, refused ${refused}` : ''}`,
    ),
  compaction_started: ({ thread, tokens, model }, { dim }) =>
    dim(`thread ${thread}: ${model} summarises ${tokens} tokens`),
  thread_compacted: ({ thread, dropped, before, after }, { yellow }) =>
    yellow(
      `thread ${thread}: ${plural(dropped, 'message')} replaced by a summary: ${before} tokens became ${after}`,
    ),
  compaction_failed: ({ thread, why }, { yellow }) =>
    yellow(`thread ${thread}: no summary, it stays as it is: ${why}`),
  stop_requested: ({ reason }, { yellow }) => yellow(`stop requested${reason ? `: ${reason}` : ''}`),
  signal_ignored: ({ signal, reason }, { yellow }) => yellow(`signal ${signal} ignored: ${reason}`),
  receipt: ({ id, state, how, text }, { dim }) =>
    dim(`${text ? `“${text}”` : `message ${id}`} ${state}: ${how}`),
  steering: ({ skippedTools }, { yellow }) =>
    yellow(skippedTools.length > 0 ? `steered · skipped ${skippedTools.join(', ')}` : 'steered'),
  route: ({ act, reason }) => `message understood · ${act} · ${reason}`,
  user_message: ({ role, text }, { bold }) => `${bold(role)}: ${text}`,
  gate_opened: gateLines,
  gate_closed: gateClosedLine,
  review: ({ subject, approved, fixes }, { green, yellow }) =>
    approved ? green(`review of ${subject}: approved`) : yellow(`review of ${subject}: ${fixes.join('; ')}`),
  orchestration: ({ accepted, why }) => `orchestrator · ${accepted ? 'accepted' : 'refused'} · ${why}`,
  goal_started: ({ number, text }, { bold }) => `${bold(`goal ${number}`)} · ${text}`,
  goal_ended: ({ number, outcome, cause, basis, exceptions }, { bold }) =>
    `${bold(`goal ${number} ended · ${outcome}`)} · ${causeText(cause, { basis, exceptions })}`,
  new_run: ({ id, goal }) => `started a run of its own · ${id} · ${goal}`,
  paused: ({ reason }, { yellow }) => yellow(`paused${reason ? `: ${reason}` : ''}`),
  resumed: ({ reason }) => `resumed${reason ? `: ${reason}` : ''}`,
  budget_set: ({ limits }) => `limits set · ${JSON.stringify(limits)}`,
  store_failed: ({ what, why }, { yellow }) =>
    yellow(`the blob store does not accept long texts (${what}), so they are cut · ${why}`),
  store_back: () => 'the store takes the conversation again: nothing is missing',
  store_gap: ({ messages, events }, { yellow }) =>
    yellow(
      `the store was unavailable too long: it misses ${messages} messages and ${events} events of this run`,
    ),
  continued_as_new: ({ segment }, { dim }) => dim(`continued as new · segment ${segment}`),
  run_ended: ({ outcome, cause, basis, exceptions }, { bold }) =>
    `${bold(`run ended · ${outcome}`)} · ${causeText(cause, { basis, exceptions })}`,
};

function changedTools({ added, removed, changed }: JournalPayloads['tools_changed']): string {
  const parts = Object.entries({ added, removed, changed }).filter(([, names]) => names.length > 0);
  return `tools changed · ${parts.map(([what, names]) => `${what} ${names.join(', ')}`).join(' · ')}`;
}

function gateLines(
  { gateId, kind, title, body, choices }: JournalPayloads['gate_opened'],
  { bold, dim }: Colors,
): string[] {
  const how = choices.length > 0 && kind !== 'question' ? ` · ${choices.join(', ')}` : '';
  const parts = gateParts({ kind, title, body }, kind === 'question' ? choices : []);
  const lines = partLines(parts.filter(part => part.kind !== 'options'));
  const hidden = lines.length - GATE_LINES;
  return [
    bold(`waiting for you · ${gateId} · ${title}`),
    ...lines.slice(0, GATE_LINES),
    ...(hidden > 0 ? [bold(`… ${plural(hidden, 'more line')}: the verb show prints all of it`)] : []),
    ...partLines(parts.filter(part => part.kind === 'options')),
    dim(`${kind}${how}`),
  ];
}

/** A rule answers a gate without a person; a refusal says how to change that. An "always" at one gate also closes others. */
function gateClosedLine(
  { gateId, kind, by, decision, edited, reason }: JournalPayloads['gate_closed'],
  { dim, yellow }: Colors,
): string {
  if (by !== 'rule') {
    const what = `${decision}${edited ? ' as edited' : ''}${reason === undefined ? '' : ` · ${reason}`}`;
    return dim(`gate ${gateId} closed by ${by}: ${what}`);
  }
  if (decision === 'approve') return dim(`gate ${gateId} · ${kind} approved by --yes`);
  if (kind === 'approval' && decision !== 'deny')
    return dim(`gate ${gateId} · ${kind} needs no answer: ${decision}`);
  return yellow(
    `gate ${gateId} · ${kind}: the run is unattended, so ${decision} (--yes approves, --attended waits for an answer)`,
  );
}

/**
 * Returns the lines of an event, the first with the time since `startedAt` (milliseconds since the epoch). An unknown
 * event of a newer worker is shown by its type. For a plan, only changes since the printed `tasks` are shown. `who`:
 * prefix of an event that is not the run's own.
 */
export function eventLines(
  event: JournalEvent,
  startedAt: number,
  colors: Colors,
  tasks: readonly ShownTask[] = [],
  who = '',
): string[] {
  const [first = '', ...rest] = eventText(event, colors, tasks);
  const clock = colors.dim(formatClock(event.at - startedAt).padStart(5));
  return [`${clock} ${who}${first}`, ...rest.map(line => `      ${who}${line}`)];
}

export function whoseLine(child: string, { cyan }: Colors): string {
  return cyan(`${terminalText(child)} › `);
}

/** Returns a prefix with the task's name, for an event of one of several concurrent tasks that does not name its task. */
export function branchLine(event: JournalEvent, colors: Colors): string {
  const { taskId = null } = 'taskId' in event ? event : {};
  return taskId === null || NAMES_ITS_TASK.has(event.type) ? '' : whoseLine(taskId, colors);
}

const NAMES_ITS_TASK: ReadonlySet<JournalType> = new Set([
  'task_started',
  'task_ended',
  'task_overdue',
  'model_call_started',
  'limit_reached',
]);

/** The parent run prints these already, when the sub-agent starts and ends. */
const SAID_ABOVE: ReadonlySet<JournalType> = new Set([
  'run_started',
  'run_loaded',
  'phase_started',
  'goal_ended',
  'run_ended',
]);

export function isPrintedOfChild({ type }: JournalEvent): boolean {
  return !SAID_ABOVE.has(type);
}

/** Returns an event's text without its time: mostly one line. */
export function eventText(event: JournalEvent, colors: Colors, tasks: readonly ShownTask[] = []): string[] {
  const clean = withoutControls(event);
  if (clean.type === 'plan_updated') return planLines(clean, tasks);
  const describe = DESCRIBE[event.type] as Describe<JournalType> | undefined;
  const described = describe?.(clean, colors) ?? event.type;
  return typeof described === 'string' ? [described] : described;
}

/** Texts of models and tools must not control the terminal. Newlines go too, except in gates and output of checks. */
function withoutControls<E extends JournalEvent>(event: E): E {
  const clean = (key: string, text: string) =>
    key === 'body' || key === 'output'
      ? terminalText(text)
      : terminalText(text).replace(/(?<!\s)\s*\n\s*/g, ' ');
  return JSON.parse(
    JSON.stringify(event, (key, value: unknown) => (typeof value === 'string' ? clean(key, value) : value)),
  );
}

function modelCallEnded(event: JournalPayloads['model_call_ended'], { dim }: Colors): string {
  const { usage, stopReason } = event;
  const parts = [
    `${event.role} replied`,
    formatDuration(event.durationMs),
    `${formatCount(usage.inputTokens)} + ${formatCount(usage.outputTokens)} tokens`,
    ...(usage.costUsd ? [formatCost(usage.costUsd)] : []),
    ...(event.toolCalls > 0 ? [plural(event.toolCalls, 'tool call')] : []),
    ...(stopReason === 'end_turn' || stopReason === 'tool_use' ? [] : [stopReason]),
  ];
  return dim(parts.join(' · '));
}

function toolCallEnded(event: CallEnded, { dim, yellow }: Colors): string {
  const ending = event.isError && event.ending === 'executed' ? 'failed' : event.ending;
  const line = `tool ${event.tool} ${ending} · ${formatDuration(event.durationMs)}`;
  const text = event.text ? ` · ${preview(event.text, RESULT_CHARS)}` : '';
  return `${event.isError ? yellow(line) : dim(line)}${dim(text)}`;
}

/** Marks a check that is made before the goal's first change. */
const BEFORE = ' before the work';

function checkEnded(event: JournalPayloads['check_ended'], { green, yellow, dim }: Colors): string[] {
  const { id, check, status, why, output, durationMs, before } = event;
  const line = `check ${id}${before ? BEFORE : ''} ${status.replace('_', ' ')} · ${formatDuration(durationMs)} · ${check}`;
  if (status === 'passed') return [green(line)];
  return [yellow(`${line} · ${why}`), ...lastLines(output).map(said => dim(`| ${said}`))];
}

function verdictLines(event: JournalPayloads['verdict'], { green, yellow }: Colors): string[] {
  if (event.done) return [green(`verified: done${basisText(event)}`)];
  return [
    yellow(`not done yet: ${preview(event.feedback, 400)}`),
    ...event.improvements.map(improvement => `- ${preview(improvement, 200)}`),
    ...event.contradictions.map(contradiction => `! ${preview(contradiction, 200)}`),
  ];
}

// Formats the trace of a run as lines: the history of an ended run that is readable without a worker. Pure.

export function traceLines(trace: TraceReport, colors: Colors): string[] {
  const startedAt = trace.steps[0]?.at ?? 0;
  const lines = trace.steps.map(step => {
    const clock = colors.dim(formatClock(step.at - startedAt).padStart(5));
    return `${clock} ${terminalText(stepText(step))}`;
  });
  if (trace.dropped > 0) lines.unshift(colors.dim(`      ${trace.dropped} earlier steps are not shown`));
  const { inputTokens, outputTokens } = trace.tokenUsage;
  const cached = cachedFacts(trace.tokenUsage).map(fact => ` · ${fact}`);
  const tokens = `${formatCount(inputTokens)} + ${formatCount(outputTokens)} tokens`;
  lines.push(colors.dim(`      ${tokens}${cached.join('')} · ${formatDuration(trace.totalMs)}`));
  return lines;
}

function stepText(step: TraceStep): string {
  const { role, taskId, action, thought, observation = '', ending, elapsedMs, decidedBy } = step;
  const who = `${role}${taskId ? ` · task ${taskId}` : ''}`;
  if (action.type === 'final') {
    const by = decidedBy === undefined ? '' : ` · by ${decidedBy}`;
    return `${who} · ${formatDuration(elapsedMs)} · ${preview(thought, STEP_TEXT_CHARS)}${by}`;
  }
  if (action.type === 'check')
    return `check ${action.check} · ${formatDuration(elapsedMs)} · ${preview(observation, STEP_TEXT_CHARS)}`;
  const call = `tool ${action.tool} ${preview(action.arguments, STEP_TEXT_CHARS)}`;
  return `${who} · ${call} · ${ending ?? 'open'} · ${formatDuration(elapsedMs)} · ${preview(observation, STEP_TEXT_CHARS)}`;
}
