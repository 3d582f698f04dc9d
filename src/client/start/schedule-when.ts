/** When a schedule starts its runs: as people say it, and as Temporal has it. Pure. */
import type {
  CalendarSpecDescription,
  Range,
  ScheduleSpec,
  ScheduleSpecDescription,
} from '@temporalio/client';
import { preview } from '../../core/text/preview.js';

/** When runs are started: by cron expressions, or every so many seconds. */
export interface ScheduleTimes {
  /** Five fields: minute, hour, day of month, month, day of week; or `@daily` and the like. One, or several. */
  cron?: string | readonly string[];
  /** Whole seconds, counted from the epoch: every 3600 is at the full hour. */
  everySeconds?: number;
  /** Of `cron`: an IANA name, such as `Europe/Paris`. Default `UTC`. */
  timezone?: string;
}

/** What is wrong with the times, in words; what a cron expression means is the server's to say. */
export function timesFaults({ cron, everySeconds, timezone }: ScheduleTimes): string[] {
  const expressions = cronList(cron);
  const faults: string[] = [];
  if (expressions.length === 0 && everySeconds === undefined)
    faults.push('Nothing says when: give a cron expression (--cron), or an interval (--every).');
  if (expressions.length > 0 && everySeconds !== undefined)
    faults.push('Give a cron expression (--cron) or an interval (--every), not both.');
  faults.push(...expressions.flatMap(expression => cronFault(expression) ?? []));
  if (everySeconds !== undefined && !(Number.isSafeInteger(everySeconds) && everySeconds >= 1))
    faults.push('The interval (--every) must be a whole number of seconds, at least 1.');
  if (timezone !== undefined && !isTimezone(timezone))
    faults.push(`There is no time zone "${timezone}": give a name such as Europe/Paris (--timezone).`);
  return faults;
}

/** What the server would read otherwise than it is meant, or take and never start; null where there is nothing. */
function cronFault(expression: string): string | null {
  const bare = expression.replace(/#.*$/s, '').trim();
  const [first = '', ...rest] = bare.split(/\s+/);
  const fields = /^(?:CRON_)?TZ=/.test(first) ? rest : [first, ...rest];
  if (bare === '') return 'A cron expression is empty.';
  if (fields[0]?.startsWith('@')) return null;
  // A sixth is a year to the server, and elsewhere the first of six are seconds.
  if (fields.length !== 5)
    return `The cron expression "${preview(bare)}" has ${fields.length} fields: give five, minute, hour, day of month, month, day of week.`;
  const days = valuesOf(fields[2] ?? '', 31);
  const months = valuesOf(fields[3] ?? '', 12);
  if (days === null || months === null) return null;
  if (months.some(month => days.some(day => day <= (DAYS_OF_MONTHS[month - 1] ?? 0)))) return null;
  const names = months.map(month => MONTHS[month - 1]).join(', ');
  return `The time of the cron expression "${preview(bare)}" never comes: ${names} ${months.length > 1 ? 'have' : 'has'} no such day.`;
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The days or months that a field names; null for what only the server can say. */
function valuesOf(field: string, last: number): number[] | null {
  const values = field.split(',').map(part => {
    const [, from = '', to, step] = /^(\*|\?|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(part) ?? [];
    const isAny = from === '*' || from === '?';
    const begin = isAny ? 1 : numberOf(from);
    const end = to === undefined ? (isAny || step !== undefined ? last : begin) : numberOf(to);
    const by = Number(step ?? 1);
    if (!(begin >= 1 && begin <= end && end <= last && by >= 1)) return null;
    return Array.from({ length: Math.floor((end - begin) / by) + 1 }, (_, at) => begin + at * by);
  });
  return values.every(value => value !== null) ? [...new Set(values.flat())].sort((a, b) => a - b) : null;
}

/** Also of a month by the first letters of its name. */
function numberOf(word: string): number {
  const month = MONTHS.findIndex(name => name.slice(0, 3).toLowerCase() === word.toLowerCase());
  return month >= 0 ? month + 1 : Number(word);
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function cronList(cron: ScheduleTimes['cron'] = []): readonly string[] {
  return typeof cron === 'string' ? [cron] : cron;
}

export function specOf({ cron, everySeconds, timezone }: ScheduleTimes): ScheduleSpec {
  return {
    cronExpressions: [...cronList(cron)],
    intervals: everySeconds === undefined ? [] : [{ every: everySeconds * 1_000 }],
    ...(timezone === undefined ? {} : { timezone }),
  };
}

/** Such as `30 2 * * * (Europe/Paris)` or `every 6h`. Times that others have set otherwise are named as such. */
export function timesText({ calendars = [], intervals = [], timezone }: ScheduleSpecDescription): string {
  const zone = timezone === undefined || timezone === '' ? 'UTC' : timezone;
  const at = calendars.map(calendar => cronText(calendar) ?? 'at times of a calendar');
  const every = intervals.map(interval => `every ${intervalText(interval.every)}`);
  return [...(at.length > 0 ? [`${at.join(', ')} (${zone})`] : []), ...every].join(', ') || 'never';
}

/**
 * These times as a cron expression, which the server does not keep: a comment behind one may say anything. Null where
 * seconds or years are set, which five fields can't say.
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

/** `first`, `last`: of all that the field may be. */
function fieldText(ranges: readonly Range<string | number>[], first: number, last: number): string {
  const parts = ranges.map(({ start, end, step }) => {
    const [from, to] = [unitNumber(start), unitNumber(end)];
    if (from === to) return String(from);
    return `${from === first && to === last ? '*' : `${from}-${to}`}${step > 1 ? `/${step}` : ''}`;
  });
  return parts.join(',');
}

const DAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'];

/** The SDK gives days and months by their names. */
function unitNumber(unit: string | number): number {
  if (typeof unit === 'number') return unit;
  const day = DAYS.indexOf(unit);
  return day >= 0 ? day : numberOf(unit.slice(0, 3));
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** In the largest unit that leaves nothing over. */
function intervalText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const [unit, size] = UNITS.find(([, each]) => seconds % each === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}
