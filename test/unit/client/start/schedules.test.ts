import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { secondsOf } from '../../../../packages/print/commands/arguments.js';
import type { ClientScope } from '../../../../src/client/connection/client-scope.js';
import { project } from '../../../../src/client/here/project.js';
import { specOf, timesFaults, timesText } from '../../../../src/client/start/schedule-snapshot.js';
import { type ScheduleOptions, Schedules } from '../../../../src/client/start/schedules.js';

test.each([
  ['nothing', {}, /one of the two/],
  ['no expression', { cron: [] }, /one of the two/],
  ['both', { cron: '0 1 * * *', everySeconds: 60 }, /one of the two/],
  ['an empty expression', { cron: ['0 1 * * *', ' '] }, /"" has 0 fields, and needs five/],
  ['half a second', { everySeconds: 0.5 }, /at least 1/],
  [
    'six fields, of which the first is seconds elsewhere',
    { cron: '0 30 2 * * *' },
    /"0 30 2 \* \* \*" has 6 fields, and needs five/,
  ],
  ['one field', { cron: '30' }, /"30" has 1 field, and needs five/],
  ['a year', { cron: '0 0 2 1 * * 2020 # once' }, /needs five/],
  ['a field too few', { cron: 'CRON_TZ=Europe/Paris 30 2 * *' }, /needs five/],
])('times of a schedule: %s → refused, and said why', (_what, times, why) => {
  expect(timesFaults(times).join()).toMatch(why);
});

test.each(
  ['0 0 ? * 1-5', '@every 90m', '@yearly', '30  2 * * * # nightly', 'TZ=UTC @daily', '0 0 x y *'].concat(
    'CRON_TZ=Europe/Paris 30 2 * * *',
  ),
)('times of a schedule: the cron expression %s → taken, or left to the server', cron => {
  expect(timesFaults({ cron })).toEqual([]);
});

test('times of a schedule: cron expressions → sent as they were written, their comments too', () => {
  const cron = ['30 2 * * *', '@daily', '0 1 * * * #mine'];
  expect(specOf({ cron, timezone: 'UTC' })).toEqual({
    cronExpressions: cron,
    intervals: [],
    timezone: 'UTC',
  });
});

const one = <T>(start: T, end = start, step = 1) => [{ start, end, step }];
/** As the SDK gives `30 2 * * *`. */
const AT_HALF_PAST_TWO = {
  second: one(0),
  minute: one(30),
  hour: one(2),
  dayOfMonth: one(1, 31),
  month: one('JANUARY', 'DECEMBER'),
  dayOfWeek: one('SUNDAY', 'SATURDAY'),
  year: [],
};
const at = (more: object) => ({ calendars: [{ ...AT_HALF_PAST_TWO, ...more }] });

test.each<[string, object]>([
  ['every 6h', { intervals: [{ every: 21_600_000, offset: 0 }] }],
  ['every 90s', { intervals: [{ every: 90_000, offset: 0 }] }],
  ['every 2d', { intervals: [{ every: 172_800_000, offset: 0 }] }],
  ['30 2 * * * (Europe/Paris)', { ...at({}), timezone: 'Europe/Paris' }],
  ['30 2 * * * (UTC)', at({ comment: 'every day at noon' })],
  [
    '*/15 9-17,22 * * 1-5 (UTC)',
    at({ minute: one(0, 59, 15), hour: [...one(9, 17), ...one(22)], dayOfWeek: one('MONDAY', 'FRIDAY') }),
  ],
  ['30 2 */2 3-5 * (UTC)', at({ dayOfMonth: one(1, 31, 2), month: one('MARCH', 'MAY') })],
  ['at times of a calendar (UTC)', at({ second: one(5) })],
  ['at times of a calendar (UTC)', at({ year: one(2030) })],
  ['never', {}],
])('times of a schedule: as the server has them → %s', (text, spec) => {
  expect(timesText(spec as Parameters<typeof timesText>[0])).toBe(text);
});

test.each([
  ['90s', 90],
  ['30m', 1_800],
  ['6h', 21_600],
  ['2d', 172_800],
  ['1w', 604_800],
  ['0m', null],
  ['6', null],
  ['-6h', null],
  ['1.5h', null],
])('a length of time: %j → %s s', (words, seconds) => {
  expect(secondsOf(words)).toBe(seconds);
});

/** Refused before anything is asked of Temporal. */
const schedules = (local: object | null) =>
  new Schedules({
    temporal: { client: {}, local },
    project,
    closing: new AbortController().signal,
  } as unknown as ClientScope);
const nightly = { cron: '30 2 * * *', workspace: '/tmp' };

test.each<[string, string, ScheduleOptions, RegExp]>([
  ['an id with a space', 'every night', nightly, /without spaces/],
  ['an id that leaves no room for the time', 'x'.repeat(151), nightly, /1 to 150/],
  [
    'options that need somebody',
    'n',
    { ...nightly, attended: true, tools: [] } as ScheduleOptions,
    /no attended.*no tools/,
  ],
  ['a policy that is none', 'n', { ...nightly, overlap: 'wait' as 'skip' }, /overlap must be one of skip/],
  ['a mode that is none', 'n', { ...nightly, mode: 'Not a name' }, /mode/],
])('schedules: %s → refused', async (_what, id, options, why) => {
  await expect(schedules(null).create(id, 'Go', options)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(why),
  });
});

test('schedules: on the local stack without a queue → refused, for its workers do not stay', async () => {
  await expect(schedules({}).create('n', 'Go', nightly)).rejects.toMatchObject({
    code: 'usage',
    remedy: expect.stringContaining('--task-queue nightly'),
  });
});

test.each<[string, ScheduleOptions, RegExp]>([
  ['a mode that nobody declared', { mode: 'reveiw' }, /There is no mode "reveiw": there are team, /],
  ['a model of an endpoint that nobody named', { model: 'nowhere/m' }, /nowhere/],
])('schedules: on the local stack with %s → refused as a start is', async (_what, more, why) => {
  const configDir = await mkdtemp(join(tmpdir(), 'schedules-'));
  await writeFile(join(configDir, 'steersman.yaml'), '');
  const options = { ...nightly, taskQueue: 'nightly', configDir, ...more };
  await expect(schedules({}).create('n', 'Go', options)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringMatching(why),
  });
});
