/** Formats the lines that a session prints permanently for each event. Pure. */

import {
  branchLine,
  eventLines,
  eventText,
  fitLine,
  gatePartLines,
  isPrintedOfChild,
  whoseLine,
  widthOf,
  wrapText,
} from '@steersman/print';
import { childProgress, type RunProgress, spokenText } from '@steersman/view';
import {
  argumentsLine,
  formatClock,
  formatCount,
  formatDuration,
  plural,
  preview,
  visibleText,
} from 'steersman/base';
import type { Gate, JournalEvent, OfAgent, ReplyForm } from 'steersman/client';
import { gateParts, partsOf } from 'steersman/rules';
import type { Colors } from 'steersman/shared';
import { terminalText } from 'steersman/shared';

export interface Page {
  width: number;
  colors: Colors;
}

const INDENT = '      ';
const MOST_REPLY_LINES = 3;
const MOST_GATE_LINES = 24;

/** Returns an event's lines, by the `progress` before it. Empty for events that only the live area shows. */
export function scrollLines(event: JournalEvent & OfAgent, progress: RunProgress, page: Page): string[] {
  const { path } = event;
  if (path === undefined) return linesOf(event, progress, page);
  if (!isPrintedOfChild(event)) return [];
  return linesOf(event, childProgress(progress, path), { ...page, who: whoseLine(path, page.colors) });
}

function linesOf(event: JournalEvent, progress: RunProgress, page: Page & { who?: string }): string[] {
  const { colors, width } = page;
  const who = `${page.who ?? ''}${progress.atWork.size > 1 ? branchLine(event, colors) : ''}`;
  const own = ownLines(event, progress, { ...page, width: width - widthOf(who) });
  if (own?.length === 0) return [];
  const started = progress.startedAt ?? event.at;
  if (own === null) {
    const lines = eventLines(event, started, colors, progress.tasks, who);
    return lines.flatMap(line => wrapText(line, width, `${INDENT}${who}`));
  }
  const clock = colors.dim(formatClock(event.at - started).padStart(5));
  return own.map((line, at) => (at === 0 ? `${clock} ${who}${line}` : `${INDENT}${who}${line}`));
}

/** Returns a session's own lines for an event, without its time; null if the event is printed in its general form. */
function ownLines(event: JournalEvent, progress: RunProgress, page: Page): string[] | null {
  const { colors } = page;
  const width = page.width - INDENT.length;
  switch (event.type) {
    case 'run_started':
    case 'model_call_started':
    case 'tool_call_started':
    case 'goal_ended':
    case 'run_ended':
      return [];
    case 'model_call_ended':
      return replyLines(event, progress.calls.get(event.callId)?.form, width, colors);
    case 'tool_call_ended': {
      const call = progress.tools.get(event.callId);
      const failed = event.isError || event.ending !== 'executed';
      const how = failed ? `${event.ending === 'executed' ? 'failed' : event.ending} · ` : '';
      const given = call && call.arguments !== '{}' ? ` ${argumentsLine(call.arguments)}` : '';
      const time = ` · ${how}${formatDuration(event.durationMs)}`;
      const line = fitLine(terminalText(`${event.tool}${given}`), width - time.length);
      const why = failed ? wrapText(preview(terminalText(event.text), 300), width) : [];
      return [`${failed ? colors.yellow(line) : line}${colors.dim(time)}`, ...why];
    }
    case 'receipt': {
      return wrapText(eventText(event, colors).join(''), width);
    }
    case 'user_message':
      return event.text.trim() === progress.lastWords ? [] : labelled(event.role, event.text, width, colors);
    case 'gate_opened':
      return gateEventLines(event, width, colors);
    default:
      return null;
  }
}

/** Returns the whole text of a gate; `parts` may add what its own text lacks. */
export function gateLines(gate: Gate, { width, colors }: Page, parts = partsOf(gate)): string[] {
  const inner = width - INDENT.length;
  return [...titleLines(gate, inner, colors), ...gatePartLines(parts, { width: inner, colors })].map(
    line => `${INDENT}${line}`,
  );
}

type GateEvent = Extract<JournalEvent, { type: 'gate_opened' }>;

/** A gate's text is cut; the options of a question are not. */
function gateEventLines(event: GateEvent, width: number, colors: Colors): string[] {
  const { gateId: id, kind, title, body, choices } = event;
  const parts = gateParts({ kind, title, body }, kind === 'question' ? choices : []);
  const page = { width, colors };
  const lines = gatePartLines(
    parts.filter(part => part.kind !== 'options'),
    page,
  );
  const options = gatePartLines(
    parts.filter(part => part.kind === 'options'),
    page,
  );
  const hidden = lines.length - MOST_GATE_LINES;
  const note = `… ${plural(hidden, 'more line')}: Ctrl-O or /view shows all of it before you answer`;
  return [
    ...titleLines({ id, title }, width, colors),
    ...lines.slice(0, MOST_GATE_LINES),
    ...(hidden > 0 ? [colors.yellow(fitLine(note, width))] : []),
    ...options,
  ];
}

function titleLines({ id, title }: Pick<Gate, 'id' | 'title'>, width: number, colors: Colors): string[] {
  // Continuation lines are indented, because they belong to the title.
  return wrapText(colors.bold(`${id} · ${terminalText(visibleText(title))}`), width, '  ');
}

function replyLines(
  event: Extract<JournalEvent, { type: 'model_call_ended' }>,
  form: ReplyForm | undefined,
  width: number,
  colors: Colors,
): string[] {
  const { usage, role, stopReason, toolCalls } = event;
  const cut = stopReason === 'end_turn' || stopReason === 'tool_use' ? '' : ` · ${stopReason}`;
  const tokens = `${formatCount(usage.inputTokens)} + ${formatCount(usage.outputTokens)} tokens`;
  const figures = colors.dim(`${formatDuration(event.durationMs)} · ${tokens}${cut}`);
  const words = spokenText(terminalText(event.text ?? ''), form);
  if (words === null) return toolCalls > 0 && cut === '' ? [] : [`${colors.bold(role)} ${figures}`];
  const lines = words
    .split('\n')
    .filter(line => line.trim() !== '')
    .flatMap(line => wrapText(line, width - 2));
  const more = lines.length > MOST_REPLY_LINES ? [colors.dim('…')] : [];
  return [
    `${colors.bold(role)} ${figures}`,
    ...[...lines.slice(0, MOST_REPLY_LINES), ...more].map(line => `  ${line}`),
  ];
}

function labelled(role: string, text: string, width: number, colors: Colors): string[] {
  return wrapText(`${colors.bold(role)}: ${terminalText(text)}`, width);
}
