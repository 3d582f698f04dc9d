/** When a schedule starts its runs: as people say it, and as Temporal has it. Pure. */
import type { ScheduleSpec, ScheduleSpecDescription } from '@temporalio/client';

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
  if (expressions.some(expression => expression.trim() === '')) faults.push('A cron expression is empty.');
  if (everySeconds !== undefined && !(Number.isSafeInteger(everySeconds) && everySeconds >= 1))
    faults.push('The interval (--every) must be a whole number of seconds, at least 1.');
  if (timezone !== undefined && !isTimezone(timezone))
    faults.push(`There is no time zone "${timezone}": give a name such as Europe/Paris (--timezone).`);
  return faults;
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

/** The server keeps of an expression what it means, and the comment behind it: so that is the expression. */
export function specOf({ cron, everySeconds, timezone }: ScheduleTimes): ScheduleSpec {
  const withComment = (expression: string) =>
    /[#@]/.test(expression) ? expression : `${expression} #${expression}`;
  return {
    cronExpressions: cronList(cron).map(withComment),
    intervals: everySeconds === undefined ? [] : [{ every: everySeconds * 1_000 }],
    ...(timezone === undefined ? {} : { timezone }),
  };
}

/** Such as `30 2 * * * (Europe/Paris)` or `every 6h`. Times that others have set otherwise are named as such. */
export function timesText({ calendars = [], intervals = [], timezone }: ScheduleSpecDescription): string {
  const zone = timezone === undefined || timezone === '' ? 'UTC' : timezone;
  const at = calendars.map(({ comment }) => comment?.trim() || 'at times of a calendar');
  const every = intervals.map(interval => `every ${intervalText(interval.every)}`);
  return [...(at.length > 0 ? [`${at.join(', ')} (${zone})`] : []), ...every].join(', ') || 'never';
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
