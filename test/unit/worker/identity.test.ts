import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import {
  type Here,
  hasDied,
  type SpaceFacts,
  spaceOf,
  workerIdentity,
} from '../../../src/worker/identity.js';

const own = workerIdentity();
const [marks = '', rest = ''] = own.split('.');
const [space, life] = [marks.slice(0, 5), marks.slice(5)];

describe('the name of a worker', () => {
  test('it ends with process id and host, as operators and health checks read it', () => {
    expect(own).toMatch(new RegExp(`^[\\w-]{9}\\.${process.pid}@${hostname()}$`));
  });

  const gone: Here['look'] = () => undefined;
  const other: Here['look'] = pid => ({ pid, started: 'at another time' });
  test.each<[string, string, Here['look'] | 'real', boolean]>([
    ['its process lives', own, 'real', false],
    ['there is no process with its number', own, gone, true],
    ['another process has its number now', own, other, true],
    ['its number is in use and nobody may see by whom', own, () => 'hidden', false],
    ['it is on another host', `${marks}.7@elsewhere`, gone, false],
    [
      'it is on another machine with this host name',
      `${space === 'xxxxx' ? 'yyyyy' : 'xxxxx'}${life}.${rest}`,
      gone,
      false,
    ],
    ['it is a worker of another kind', `7@${hostname()}`, gone, false],
    ['nobody', '', gone, false],
  ])('%s → dead only where this machine can tell', (_, identity, look, died) => {
    expect(hasDied(identity, look === 'real' ? undefined : { host: hostname(), space, look })).toBe(died);
  });
});

const ROOT_DISK = '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw';
const PROC = '24 22 0:22 / /proc rw,nosuid - proc proc rw';
/** As containers of Docker and Podman have it. */
const layer = (id: string) =>
  `612 580 0:52 / / rw,relatime - overlay overlay rw,lowerdir=/l/A:/l/B,upperdir=/var/lib/docker/overlay2/${id}/diff,workdir=/w`;
const machine: SpaceFacts = {
  boot: 'boot-1',
  namespace: 'pid:[4026531836]',
  seesItself: true,
  mounts: [ROOT_DISK, PROC].join('\n'),
};
const container: SpaceFacts = {
  ...machine,
  namespace: 'pid:[4026532179]',
  mounts: [layer('one'), PROC].join('\n'),
};

describe('a table of processes', () => {
  test.each<[string, SpaceFacts, SpaceFacts, boolean]>([
    ['two workers of a machine', machine, machine, true],
    ['two machines, whose first namespaces are alike', machine, { ...machine, boot: 'boot-2' }, false],
    ['a machine and a namespace in it', machine, { ...machine, namespace: 'pid:[4026532200]' }, false],
    ['a container that was restarted', container, { ...container, namespace: 'pid:[4026532300]' }, true],
    [
      'containers side by side',
      container,
      { ...container, namespace: 'pid:[4026532300]', mounts: [layer('two'), PROC].join('\n') },
      false,
    ],
    [
      'a container and a namespace within it',
      container,
      { ...container, namespace: 'pid:[4026532300]', mounts: [layer('one'), PROC, PROC].join('\n') },
      false,
    ],
    [
      'containers of two machines, copied with their layers',
      container,
      { ...container, boot: 'boot-2' },
      false,
    ],
  ])('%s → one, or told apart', (_, a, b, isOne) => {
    expect(spaceOf(a) === spaceOf(b)).toBe(isOne);
  });

  test.each<[string, Partial<SpaceFacts>]>([
    ['does not say when it was started', { boot: null }],
    ['shows the processes of another namespace', { seesItself: false }],
  ])('a system %s → it has no name', (_, facts) => {
    expect(spaceOf({ ...machine, ...facts })).toBeNull();
  });
});
