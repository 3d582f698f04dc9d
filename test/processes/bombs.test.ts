/** Files that take gigabytes to read: the programs that read them end, and the answer says so. */
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Hands, handsOn } from '../support/workspace-tools.js';

let hands: Hands;

beforeEach(async () => {
  hands = await handsOn();
  hands.put('a.txt', 'needle');
});

describe('searches', () => {
  test.each<[string, Record<string, string>?]>([
    ['list'],
    ['find', { pattern: '*' }],
    ['grep', { pattern: 'needle' }],
  ])(
    '%s: what git ignores stands in a file without end → ripgrep ends, and it is said',
    async (name, args = {}) => {
      hands.put('.gitignore', '');
      truncateSync(join(hands.workspace, '.gitignore'), 3 * 2 ** 30);
      expect(await hands.call(name, args)).toMatch(/memory allocation/);
    },
  );
});

describe('a PDF of a few bytes', () => {
  let packedOnce: Buffer;
  beforeAll(() => {
    packedOnce = deflateSync(Buffer.alloc((512 << 20) + 1, ' '));
  });

  test.each([1, 2])('packed %i times, from over 512 MB → refused, and says so', async times => {
    const page = times === 1 ? packedOnce : deflateSync(packedOnce);
    const stream = `<</Length ${page.length}/Filter[${'/FlateDecode'.repeat(times)}]>>stream\n`;
    const objects = [
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<<>>>>',
      `${stream}${page.toString('latin1')}\nendstream`,
    ];
    const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
    const file = `%PDF-1.4\n${body}trailer\n<</Size 5/Root 1 0 R>>\n%%EOF\n`;
    hands.put('bomb.pdf', Buffer.from(file, 'latin1'));
    expect(await hands.call('read', { path: 'bomb.pdf' })).toMatch(/unpacks to more than 512 MB/);
  });
});
