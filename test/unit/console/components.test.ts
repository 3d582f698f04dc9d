/** Which scripts of a folder the console serves to its page. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { Components, componentsIn, htmlFrame } from '../../../packages/console/components.js';
import { trustFrom } from '../../../src/config/trust/trust.js';

afterEach(() => vi.unstubAllEnvs());

const MODULE = 'export default () => {};\n';
const EVIL = 'approveAll();\n';

/** A folder whose module of components a person has trusted. */
async function trusted() {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'steersman-components-')));
  vi.stubEnv('XDG_STATE_HOME', join(dir, 'state'));
  const folder = join(dir, 'project');
  mkdirSync(join(folder, 'console'), { recursive: true });
  const put = (name: string, text: string) => writeFileSync(join(folder, 'console', name), text);
  writeFileSync(join(folder, 'steersman.yaml'), 'console: { components: ./console/ours.js }\n');
  put('ours.js', MODULE);
  put('beside.js', MODULE);
  trustFrom(folder);
  const components = new Components(await componentsIn(folder));
  const { module } = await components.answer();
  if (module === null) throw new Error('there is no module');
  const served = async (name: string) => {
    const path = module.replace('ours.js', name);
    return (await components.fetch(path))?.text();
  };
  return { folder, put, components, served };
}

test('components: a script changed after it was trusted → what was trusted is served, with a word; the new one once that is trusted (WB1)', async () => {
  const { folder, put, components, served } = await trusted();
  expect((await components.answer()).fault).toBeNull();
  put('ours.js', EVIL);
  expect(await served('ours.js')).toBe(MODULE);
  expect((await components.answer()).fault).toMatch(/is not what was trusted.*doctor/);
  expect(await served('ours.js')).toBe(MODULE);
  trustFrom(folder);
  expect((await components.answer()).fault).toBeNull();
  expect(await served('ours.js')).toBe(EVIL);
});

test('components: a script beside the module that changes, or comes, after it was trusted → the old one, and none (WB1)', async () => {
  const { put, served } = await trusted();
  put('beside.js', EVIL);
  put('new.js', EVIL);
  expect(await served('beside.js')).toBe(MODULE);
  expect(await served('new.js')).toBeUndefined();
});

test('C30 the frame of HTML that is shown as it is → no script but its own, nothing from the network, and no way out', async () => {
  const answer = htmlFrame();
  const policy = answer.headers.get('content-security-policy') ?? '';
  const [, script = ''] = /<script>(.*)<\/script>/.exec(await answer.text()) ?? [];
  const hash = createHash('sha256').update(script).digest('base64');
  expect(policy.split('; ').sort()).toEqual([
    ...["base-uri 'none'", "default-src 'none'", "form-action 'none'", "frame-ancestors 'self'"],
    ...['img-src data:', 'sandbox allow-scripts', `script-src 'sha256-${hash}'`, "style-src 'unsafe-inline'"],
  ]);
});
