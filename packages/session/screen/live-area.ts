/** The area at the bottom of a session, which is redrawn repeatedly. Pure. */

import { fitLine, taskLine, widthOf, wrapText } from '@steersman/print';
import type { CallInFlight, RunProgress } from '@steersman/view';
import { wordsOf } from '@steersman/view';
import {
  argumentsLine,
  formatClock,
  formatCost,
  formatCount,
  formatDuration,
  preview,
  tailChars,
} from 'steersman/base';
import { wordsHint } from 'steersman/rules';
import { cachedFacts, endOf } from 'steersman/run';
import type { Colors } from 'steersman/shared';
import { terminalText } from 'steersman/shared';
import { commandOf } from '../input/commands.js';
import { takesYes } from '../input/gate-keys.js';
import { promptHint } from '../input/prompt-line.js';
import type { SessionState } from '../input/session-state.js';
import { inputRows, menuRows } from './input-rows.js';

export interface Screen {
  columns: number;
  rows: number;
  colors: Colors;
  now: number;
}

const MOST_TASKS = 8;
const SMALL_ROWS = 16;
const WORDS_LINES = 3;
/** Longer than a line of any terminal. */
const THOUGHT_CHARS = 500;
const MOST_INPUT_LINES = 6;
const MOST_CHOICES = 6;

/** Returns lines that fit the screen: within its columns, and at most its rows less one. */
export function liveArea(progress: RunProgress, session: SessionState, screen: Screen): string[] {
  const width = Math.max(10, screen.columns - 1);
  const small = screen.rows < SMALL_ROWS;
  const below = [
    ...gateLines(session, width, screen.colors),
    ...inputRows(session.line, width, MOST_INPUT_LINES),
    ...(session.menu ? menuRows(session.menu, width, small ? 3 : MOST_CHOICES, screen.colors) : []),
    hintLine(session, progress.paused, width, screen),
  ];
  const facts = small ? [] : factLines(progress, session, width, screen);
  const room = Math.max(0, screen.rows - 2 - below.length - facts.length);
  const status = statusLine(progress, session, width, screen);
  const doing = progress.idle ? [] : doingLines(progress, width, screen);
  const tasks = progress.idle
    ? []
    : taskLines(progress, Math.min(MOST_TASKS, room - 1 - doing.length), width, screen);
  const above = [status, ...tasks, ...doing].slice(0, room);
  return [...above, ...facts, ...below];
}

function statusLine(
  progress: RunProgress,
  { words }: SessionState,
  width: number,
  { colors, now }: Screen,
): string {
  const { startedAt, answeredAt, tasks, paused, stopping, idle, phase, cycle } = progress;
  const until = idle && answeredAt !== null ? answeredAt : now;
  const clock = startedAt === null ? '0:00' : formatClock(until - startedAt);
  const done = tasks.filter(task => task.status === 'completed').length;
  const parts = [
    idle ? words.answered : words.phase(phase),
    ...(cycle > 1 && !idle ? [words.cycle(cycle)] : []),
    ...(tasks.length > 0 && !idle ? [words.tasks(done, tasks.length)] : []),
    ...(paused ? [words.paused] : []),
    ...(stopping ? [words.stopping] : []),
    preview(terminalText(progress.goal), 200),
  ];
  const left = fitLine(`── ${parts.join(' · ')} `, width - clock.length - 1);
  const rule = '─'.repeat(Math.max(0, width - clock.length - 1 - widthOf(left)));
  return colors.bold(`${left}${rule} ${clock}`);
}

/** Returns as many tasks around the current one as fit. */
function taskLines({ tasks }: RunProgress, room: number, width: number, { colors }: Screen): string[] {
  if (tasks.length === 0 || room < 1) return [];
  const at = tasks.findIndex(task => task.status === 'executing' || task.status === 'pending');
  const from = Math.max(0, Math.min((at < 0 ? tasks.length : at) - 1, tasks.length - room));
  const shown = tasks.slice(from, from + room);
  const hidden = tasks.length - shown.length;
  const lines = shown.map(task => {
    const line = fitLine(` ${taskLine(task)}`, width);
    if (task.status === 'completed') return colors.green(line);
    return task.status === 'executing'
      ? colors.bold(line)
      : task.status === 'pending'
        ? line
        : colors.yellow(line);
  });
  return hidden > 0 && lines.length > 1
    ? [...lines.slice(0, -1), colors.dim(` … ${hidden + 1} more`)]
    : lines;
}

function doingLines(progress: RunProgress, width: number, screen: Screen): string[] {
  const children = [...progress.children].flatMap(([child, own]) =>
    atWork(own, terminalText(`${child} › `), width, screen),
  );
  return [...atWork(progress, '', width, screen), ...children];
}

/** Returns what an agent does now. `who`: a prefix for a sub-agent, whose texts get fewer lines. */
function atWork(progress: RunProgress, who: string, width: number, screen: Screen): string[] {
  const { colors, now } = screen;
  const lines: string[] = [];
  for (const { tool, arguments: given, startedAt, progress: progressText } of progress.tools.values()) {
    const time = formatDuration(Math.max(0, now - startedAt));
    lines.push(
      colors.cyan(
        fitLine(` > ${who}${terminalText(`${tool} ${argumentsLine(given)}`)}`, width - time.length - 1),
      ) + colors.dim(` ${time}`),
    );
    if (progressText !== null) lines.push(fitLine(`   ${terminalText(progressText)}`, width));
  }
  const tasks = new Set([...progress.calls.values()].map(({ taskId }) => taskId));
  for (const call of progress.calls.values()) {
    const task = tasks.size > 1 && call.taskId !== null ? terminalText(`${call.taskId} › `) : '';
    lines.push(...callLines(call, `${who}${task}`, width, colors));
  }
  return lines;
}

function callLines(call: CallInFlight, who: string, width: number, colors: Colors): string[] {
  const { attempt, text, reasoning } = call.heard;
  const chars = endOf(text);
  const thoughtChars = endOf(reasoning);
  const again = attempt > 1 ? ` · attempt ${attempt}` : '';
  const how =
    chars > 0
      ? `is writing … ${formatChars(chars)}`
      : thoughtChars > 0
        ? `is thinking … ${formatChars(thoughtChars)}`
        : 'is asked';
  const head = fitLine(` > ${who}${call.role} ${how} · round ${call.round} · ${call.model}${again}`, width);
  const words = wordsOf(call);
  const tail =
    words === null
      ? []
      : wrapText(terminalText(words).replace(/\s+/g, ' '), width - 3).slice(who === '' ? -WORDS_LINES : -1);
  const thought =
    chars === 0 ? lastLine(terminalText(tailChars(reasoning.text, THOUGHT_CHARS)), width - 3) : [];
  return [
    colors.cyan(head),
    ...thought.map(line => colors.dim(`   ${line}`)),
    ...tail.map(line => `   ${line}`),
  ];
}

function lastLine(text: string, width: number): string[] {
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  return line === '' ? [] : wrapText(line.replace(/\s+/g, ' '), width).slice(-1);
}

function formatChars(chars: number): string {
  return chars < 1_000 ? `${chars} characters` : `${(chars / 1_000).toFixed(1)}k characters`;
}

function factLines(
  progress: RunProgress,
  { words }: SessionState,
  width: number,
  { colors }: Screen,
): string[] {
  const { usage, state, turns, toolCalls, waiting } = progress;
  const limits = state?.limits ?? null;
  const parts = [
    `turns ${turns}${limits ? ` of ${limits.turns}` : ''}`,
    `tool calls ${toolCalls}`,
    `${formatCount(usage.inputTokens)} + ${formatCount(usage.outputTokens)} tokens`,
    ...cachedFacts(usage),
    formatCost(usage.costUsd),
  ];
  const waits = waiting.length === 0 ? [] : [fitLine(` ${words.waiting(waiting.length)}`, width)];
  return [...waits, fitLine(` ${parts.join(' · ')}`, width)].map(line => colors.dim(line));
}

function gateLines({ gates, stage, words }: SessionState, width: number, { bold, yellow }: Colors): string[] {
  const [gate, ...more] = gates;
  if (!gate) return [];
  const title = `${gate.id} · ${terminalText(gate.title)}${more.length > 0 ? ` (${words.moreGates(more.length)})` : ''}`;
  const hint =
    stage.kind === 'reason'
      ? words.gates[gate.kind === 'plan' ? 'change' : 'reason']
      : stage.kind === 'edit'
        ? words.gates.edit
        : // These gates are answered by single keys, and `e` opens the editor.
          takesYes(gate)
          ? words.gates[gate.kind]
          : wordsHint(gate);
  return [
    yellow(bold(fitLine(` ? ${title}`, width))),
    ...wrapText(hint, width - 3).map(line => yellow(`   ${line}`)),
  ];
}

function hintLine(session: SessionState, paused: boolean, width: number, { colors }: Screen): string {
  return colors.dim(
    fitLine(`${session.yes ? `${session.words.yesIsOn} · ` : ''}${hintOf(session, paused)}`, width),
  );
}

function hintOf(
  { stage, line, idle, gates, held, menu, prompts, words }: SessionState,
  paused: boolean,
): string {
  const { hints } = words;
  if (stage.kind === 'leave') return hints.leave;
  if (stage.kind === 'sure') return gates.length > 0 ? hints.early : hints.lone;
  if (menu) return `${hints.choose}${menu.completion.kind === 'file' ? ` · ${hints.closes}` : ''}`;
  if (line.text.startsWith('/')) {
    const command = commandOf(/^\/(\S*)/.exec(line.text)?.[1] ?? '');
    return command
      ? `/${command.name}${command.takes ? ` ${command.takes}` : ''} · ${words.commands[command.name]}`
      : (promptHint(line.text, prompts) ?? words.noCommand);
  }
  if (gates.length > 0) return hints.gate;
  if (idle) return hints.idle;
  if (held) return hints.held;
  return paused ? hints.paused : hints.compose;
}
