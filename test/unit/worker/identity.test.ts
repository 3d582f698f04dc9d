import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { hasDied, workerIdentity } from '../../../src/worker/identity.js';

const own = workerIdentity();
const [marks = '', rest = ''] = own.split('.');
const [space, life] = [marks.slice(0, 3), marks.slice(3)];
/** The number of a process that has ended. */
const gone = spawnSync(process.execPath, ['--version']).pid;

describe('the name of a worker', () => {
  test('it ends with process id and host, as operators and health checks read it', () => {
    expect(own).toMatch(new RegExp(`^[\\w-]{7}\\.${process.pid}@${hostname()}$`));
  });

  test.each<[string, string, boolean]>([
    ['its process lives', own, false],
    ['its process has ended', `${marks}.${gone}@${hostname()}`, true],
    ['another process has its number now', `${space}${life === 'aaaa' ? 'bbbb' : 'aaaa'}.${rest}`, true],
    ['it is on another host', `${marks}.${gone}@elsewhere`, false],
    [
      'it is in another container with this host name',
      `${space === 'xxx' ? 'yyy' : 'xxx'}${life}.${rest}`,
      false,
    ],
    ['it is a worker of another kind', `${gone}@${hostname()}`, false],
    ['nobody', '', false],
  ])('%s → dead only where this machine can tell', (_, identity, died) => {
    expect(hasDied(identity)).toBe(died);
  });
});
