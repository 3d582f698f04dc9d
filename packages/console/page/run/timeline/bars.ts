/** Converts a run's events to bars on a time axis: turns, tools, waits for people, sub-agents. Pure. */
import type { Durable } from '@steersman/view';

export type BarKind = 'turn' | 'tool' | 'wait' | 'agent' | 'pause';

export interface Bar {
  kind: BarKind;
  name: string;
  /** Milliseconds since the epoch. */
  from: number;
  /** Null while it continues. */
  to: number | null;
  isBad: boolean;
  detail: string;
}

/** Bars that do not overlap. */
export interface Row {
  kind: BarKind;
  bars: Bar[];
}

/** The run, or one of its sub-agents. */
export interface Lane {
  path: string;
  rows: Row[];
}

export interface Mark {
  kind: 'goal' | 'message' | 'answer';
  at: number;
  text: string;
}

export interface Timeline {
  from: number;
  to: number;
  lanes: Lane[];
  marks: Mark[];
}

const KINDS: readonly BarKind[] = ['turn', 'tool', 'agent', 'wait', 'pause'];

/** `now`: the current end of open bars; null for a run that has ended. */
export function timelineOf(events: readonly Durable[], now: number | null): Timeline {
  const open = new Map<string, Bar>();
  const byPath = new Map<string, Bar[]>();
  const marks: Mark[] = [];
  for (const event of events) takeEvent(event, { open, byPath, marks });
  const from = events[0]?.at ?? now ?? 0;
  // Without an open bar, the axis ends with the last event: otherwise the bars of a run that is kept open would shrink.
  const end = open.size > 0 ? (now ?? 0) : 0;
  const to = Math.max(end, events.at(-1)?.at ?? from, from + 1);
  // Bars that an ended run left open end with the run.
  if (now === null) for (const bar of open.values()) bar.to ??= to;
  const lanes = [...byPath]
    .map(([path, bars]) => ({ path, rows: rowsOf(bars.filter(bar => !isDrawnAsAgent(bar, bars))) }))
    .sort((one, other) => one.path.localeCompare(other.path, 'en', { numeric: true }));
  return { from, to, lanes, marks };
}

/** Returns the bar that begins next, or before; the first one if none is chosen. */
export function barBeside({ lanes }: Pick<Timeline, 'lanes'>, chosen: Bar | null, by: number): Bar | null {
  const bars = lanes.flatMap(({ rows }) => rows.flatMap(row => row.bars)).sort((a, b) => a.from - b.from);
  const at = bars.findIndex(bar => bar.from === chosen?.from && bar.name === chosen.name);
  return bars[at < 0 ? 0 : Math.min(bars.length - 1, Math.max(0, at + by))] ?? null;
}

/** True for the call of a sub-agent that has its own bar for the same time. */
function isDrawnAsAgent({ kind, name, from, to }: Bar, bars: readonly Bar[]): boolean {
  if (kind !== 'tool' || name !== 'call_subagent') return false;
  return bars.some(
    other => other.kind === 'agent' && other.from >= from && (to === null || other.from <= to),
  );
}

/** The effect of an event on the bars of its lane: a bar begins or ends, or a mark is set. */
type Step =
  | { begin: string; bar: Pick<Bar, 'kind' | 'name' | 'detail'> }
  | { end: string; change?: Partial<Bar> }
  | { mark: Omit<Mark, 'at'> };

function stepOf(event: Durable): Step | null {
  switch (event.type) {
    case 'model_call_started':
      return { begin: event.callId, bar: { kind: 'turn', name: event.role, detail: event.model } };
    case 'model_call_ended':
      return { end: event.callId };
    case 'model_call_failed':
      return { end: event.callId, change: { isBad: true, detail: event.message } };
    case 'tool_call_started':
    case 'app_call_started':
      return { begin: event.callId, bar: { kind: 'tool', name: event.tool, detail: event.arguments } };
    case 'tool_call_ended':
    case 'app_call_ended':
      return { end: event.callId, change: { isBad: event.isError } };
    case 'gate_opened':
      return { begin: event.gateId, bar: { kind: 'wait', name: event.kind, detail: event.title } };
    case 'gate_closed':
      return { end: event.gateId };
    case 'subagent_started':
      return { begin: event.id, bar: { kind: 'agent', name: event.id, detail: event.role } };
    case 'subagent_ended':
      return { end: event.id, change: { isBad: event.outcome === 'failed' || event.outcome === 'lost' } };
    case 'paused':
      return { begin: 'pause', bar: { kind: 'pause', name: event.type, detail: event.reason } };
    case 'resumed':
      return { end: 'pause' };
    case 'run_started':
      return { mark: { kind: 'goal', text: event.goal } };
    case 'goal_started':
      return { mark: { kind: 'goal', text: event.text } };
    case 'goal_ended':
      return { mark: { kind: 'answer', text: event.outcome } };
    case 'receipt':
      return event.state === 'accepted' ? { mark: { kind: 'message', text: event.text ?? '' } } : null;
    default:
      return null;
  }
}

interface Gathered {
  open: Map<string, Bar>;
  byPath: Map<string, Bar[]>;
  marks: Mark[];
}

function takeEvent(event: Durable, { open, byPath, marks }: Gathered): void {
  const step = stepOf(event);
  if (step === null) return;
  const { path = '', at } = event;
  if ('mark' in step) {
    // A sub-agent's goals are its caller's instructions, and get no marks.
    if (path === '') marks.push({ ...step.mark, at });
  } else if ('begin' in step) {
    const begun: Bar = { ...step.bar, from: at, to: null, isBad: false };
    open.set(`${path} ${step.begin}`, begun);
    const lane = byPath.get(path) ?? [];
    lane.push(begun);
    byPath.set(path, lane);
  } else {
    const bar = open.get(`${path} ${step.end}`);
    open.delete(`${path} ${step.end}`);
    if (bar) Object.assign(bar, { to: at, ...step.change });
  }
}

/** Groups bars in rows by kind; a bar that overlaps the last one of a row moves to the next row. */
function rowsOf(bars: readonly Bar[]): Row[] {
  return KINDS.flatMap(kind => {
    const rows: Row[] = [];
    for (const bar of bars.filter(each => each.kind === kind)) {
      const free = rows.find(row => endOf(row.bars.at(-1)) <= bar.from);
      if (free) free.bars.push(bar);
      else rows.push({ kind, bars: [bar] });
    }
    return rows;
  });
}

function endOf(bar: Bar | undefined): number {
  return bar === undefined ? 0 : (bar.to ?? Number.POSITIVE_INFINITY);
}
