/** Converts schedules between programs and Temporal. Pure. */
import {
  type CalendarSpecDescription,
  type Range,
  type ScheduleDescription,
  ScheduleOverlapPolicy,
  type ScheduleSpec,
  type ScheduleSpecDescription,
} from '@temporalio/client';
import { plural } from '../../base/text/format.js';
import { preview } from '../../base/text/preview.js';
import { readStart } from '../../rules/agents/run-input.js';
import type { RunSettings } from '../../run/agents/run-config.js';
import { hintOf } from '../../shared/process/called-as.js';

/** Policies for a start while the previous run is open: names of Temporal's overlap policies. */
export const OVERLAPS = ['skip', 'buffer_one', 'cancel_other', 'allow_all'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** A run that a schedule has started. */
export interface ScheduledRun {
  id: string;
  /** ISO 8601. */
  startedAt: string;
}

/** The state of a schedule. */
export interface ScheduleSnapshot {
  id: string;
  /** Empty if its workflow's input can't be read here. */
  goal: string;
  /** Times in words, such as `30 2 * * * (Europe/Paris)` or `every 6h`. */
  when: string;
  paused: boolean;
  /** The note of the last pause or resume; may be empty. */
  note: string;
  overlap: Overlap | null;
  taskQueue: string;
  /** Settings of its runs; null if they can't be read here. */
  settings: RunSettings | null;
  /** The next starts, ISO 8601; empty while it is paused. */
  next: string[];
  /** The latest runs, newest first. */
  runs: ScheduledRun[];
  /** Ids of its open runs, at most 100. */
  open: string[];
  /** Number of starts since it was created, and of starts that were skipped because a run was open. */
  started: number;
  skipped: number;
}

/** Times of the starts: cron expressions, or an interval in seconds. */
export interface ScheduleTimes {
  /** Five fields: minute, hour, day of month, month, day of week; or `@daily` and similar. A single expression, or several. */
  cron?: string | readonly string[];
  /** Whole seconds, counted from the epoch: 3600 means every full hour. */
  everySeconds?: number;
  /** Time zone of `cron`: an IANA name, such as `Europe/Paris`. Default `UTC`. */
  timezone?: string;
}

/** Returns faults that the server would misinterpret; it validates the rest of the times itself. */
export function timesFaults({ cron, everySeconds }: ScheduleTimes): string[] {
  const faults = [cron ?? []].flat().flatMap(fieldsFault);
  if ((cron === undefined || cron.length === 0) === (everySeconds === undefined))
    faults.push(
      `Give a cron expression${hintOf(' (--cron)', '')} or an interval${hintOf(' (--every)', '')}, one of the two.`,
    );
  if (everySeconds !== undefined && !(Number.isSafeInteger(everySeconds) && everySeconds >= 1))
    faults.push('The interval must be a whole number of seconds, at least 1.');
  return faults;
}

/** The server reads the last of six fields as a year, while others read the first as seconds. */
function fieldsFault(expression: string): string[] {
  const bare = expression.replace(/#.*$/s, '').trim();
  const fields = bare.replace(/^(?:CRON_)?TZ=\S+\s*/, '').split(/\s+/);
  if (fields.length === 5 || fields[0]?.startsWith('@')) return [];
  return [
    `The cron expression "${preview(bare)}" has ${plural(fields.filter(Boolean).length, 'field')}, and needs five: minute, hour, day of month, month, day of week.`,
  ];
}

export function specOf({ cron = [], everySeconds, timezone }: ScheduleTimes): ScheduleSpec {
  return {
    cronExpressions: [cron].flat(),
    intervals: everySeconds === undefined ? [] : [{ every: everySeconds * 1_000 }],
    ...(timezone === undefined ? {} : { timezone }),
  };
}

export function policyOf(overlap: Overlap): ScheduleOverlapPolicy {
  return ScheduleOverlapPolicy[overlap.toUpperCase() as Uppercase<Overlap>];
}

export function snapshotOf({
  scheduleId,
  spec,
  state,
  policies,
  action,
  info,
}: ScheduleDescription): ScheduleSnapshot {
  const start = readStart(action.args?.[0]);
  return {
    id: scheduleId,
    goal: start.ok ? start.goal : '',
    when: timesText(spec),
    paused: state.paused,
    note: state.note ?? '',
    overlap: OVERLAPS.find(name => policyOf(name) === policies.overlap) ?? null,
    taskQueue: action.taskQueue ?? '',
    settings: start.ok ? start.settings : null,
    next: state.paused ? [] : info.nextActionTimes.map(time => time.toISOString()),
    runs: info.recentActions
      .map(({ takenAt, action: { workflow } }) => ({
        id: workflow.workflowId,
        startedAt: takenAt.toISOString(),
      }))
      .reverse(),
    open: info.runningActions.map(({ workflow }) => workflow.workflowId),
    started: info.numActionsTaken,
    skipped: info.numActionsSkippedOverlap,
  };
}

/** Formats times such as `30 2 * * * (Europe/Paris)` or `every 6h`; times of other tools are only named as such. */
export function timesText({ calendars = [], intervals = [], timezone }: ScheduleSpecDescription): string {
  const zone = timezone === undefined || timezone === '' ? 'UTC' : timezone;
  const at = calendars.map(calendar => cronText(calendar) ?? 'at times of a calendar');
  const every = intervals.map(interval => `every ${intervalText(interval.every)}`);
  return [...(at.length > 0 ? [`${at.join(', ')} (${zone})`] : []), ...every].join(', ') || 'never';
}

/**
 * Returns these times as a cron expression. The server does not store the original, and a comment in it is unreliable.
 * Null if seconds or years are set, which five fields can't express.
 */
function cronText(calendar: CalendarSpecDescription): string | null {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek, year } = calendar;
  if (year.length > 0 || fieldText(second, 0, 59) !== '0') return null;
  return [
    fieldText(minute, 0, 59),
    fieldText(hour, 0, 23),
    fieldText(dayOfMonth, 1, 31),
    fieldText(month, 1, 12),
    fieldText(dayOfWeek, 0, 6),
  ].join(' ');
}

/** `first`, `last`: the range of the field. */
function fieldText(ranges: readonly Range<string | number>[], first: number, last: number): string {
  const parts = ranges.map(({ start, end, step }) => {
    const [from, to] = [unitNumber(start), unitNumber(end)];
    if (from === to) return String(from);
    return `${from === first && to === last ? '*' : `${from}-${to}`}${step > 1 ? `/${step}` : ''}`;
  });
  return parts.join(',');
}

const MONTHS = [
  ...['JANUARY', 'FEBRUARY', 'MARCH', 'APRIL', 'MAY', 'JUNE'],
  ...['JULY', 'AUGUST', 'SEPTEMBER', 'OCTOBER', 'NOVEMBER', 'DECEMBER'],
];
const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

/** The SDK returns days and months by their names. */
function unitNumber(unit: string | number): number {
  if (typeof unit === 'number') return unit;
  const day = DAYS.indexOf(unit);
  return day >= 0 ? day : MONTHS.indexOf(unit) + 1;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** Uses the largest unit without a remainder. */
function intervalText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const [unit, size] = UNITS.find(([, each]) => seconds % each === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}
