// Takes the console's pictures for docs/pictures from a real run: Temporal, a worker, a scripted model, Chromium.
// `npm run pictures` writes the pictures that pages of docs show. `npm run pictures -- --all DIR` takes every page of
// the console in both sizes, schemes and languages, for a person to look at.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'shop-'));
const home = join(dir, 'home');
const workspace = join(dir, 'shop');
process.env.STEERSMAN_HOME = home;
process.env.STEERSMAN_CONFIG_DIR = dir;
execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
const built = path => import(join(root, 'dist', path));

const FILES = {
  'package.json': '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/order.js': `/** Prices are in cents. */
export function total(order) {
  return order.lines.reduce((sum, { price, count }) => sum + price * count, 0);
}

export function isFree(order) {
  return total(order) === 0;
}
`,
  'test/order.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/order.js';

test('the total has the shipping', () => {
  assert.equal(total({ lines: [{ price: 500, count: 2 }], shipping: 490 }), 1490);
});
`,
};

const GOAL = 'The total of an order leaves out the shipping. Mend it, and prove it with the tests.';
const OLD = 'return order.lines.reduce((sum, { price, count }) => sum + price * count, 0);';
const NEW = `const goods = order.lines.reduce((sum, { price, count }) => sum + price * count, 0);
  return goods + (order.shipping ?? 0);`;

/** Returns the scripted model's replies, by role. */
function scriptOf({ byRole, plan, execution, verdict }) {
  const call = (name, args, text = '') => ({ text, toolCalls: [{ name, arguments: args }] });
  const react = ({ body }) => {
    const said = JSON.stringify(body.messages);
    if (said.includes('Ask me which port'))
      return call('ask_person', {
        question: 'Which port shall the shop listen on?',
        options: ['80', '8080', 'any free one'],
      });
    return {
      text: 'Each file gets one line that says what it is for.',
      toolCalls: [
        { name: 'write', arguments: { path: 'src/order.js', content: '/** Orders. */\n' } },
        { name: 'write', arguments: { path: 'src/price.js', content: '/** Prices. */\n' } },
      ],
    };
  };
  return byRole({
    react,
    planner: [
      {
        text: plan({
          summary: 'Find where the total is made, add the shipping there, run the tests.',
          todos: [
            {
              id: 'task-1',
              description: 'Add the shipping to the total in src/order.js',
              completionCriteria: 'total() returns the goods and the shipping.',
            },
            { id: 'task-2', description: 'Run the tests', completionCriteria: 'npm test ends with code 0.' },
          ],
        }),
      },
    ],
    executor: [
      call('read', { path: 'src/order.js' }),
      call(
        'edit',
        { path: 'src/order.js', edits: [{ oldText: OLD, newText: NEW }] },
        'total() sums the lines alone. I add order.shipping, which older orders may lack.',
      ),
      { text: execution({ summary: 'total() adds the shipping now.', taskCompleted: true }) },
      call('run', { command: 'npm test' }, 'The tests show whether the total is right now.'),
      { text: execution({ summary: 'npm test: 1 test passes, none fails.', taskCompleted: true }) },
    ],
    verifier: () => ({
      text: verdict({
        summary:
          'The total of an order has its shipping now: `total()` in `src/order.js` adds `order.shipping`, or nothing where an order has none.\n\nProof: `npm test` passes, 1 of 1.',
      }),
    }),
  });
}

/** The folder of `--all`. Null: the pictures of the docs are taken. */
const lookDir = process.argv[2] === '--all' ? (process.argv[3] ?? '.') : null;

function browserPath() {
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap(path => names.map(name => join(path, name)));
  return (
    process.env.CHROMIUM_PATH ??
    execFileSync('sh', ['-c', `ls ${found.join(' ')} 2>/dev/null | head -1`], { encoding: 'utf8' }).trim()
  );
}

const kit = await built('packages/test-kit/index.js');
const { createProvider } = await built('models/index.js');
const { createWorker } = await built('worker/index.js');
const { connect } = await built('client/index.js');
const { serveConsole } = await built('packages/console/index.js');

for (const [name, text] of Object.entries(FILES)) {
  mkdirSync(dirname(join(workspace, name)), { recursive: true });
  writeFileSync(join(workspace, name), text);
}
mkdirSync(home, { recursive: true });

const environment = await kit.startTestEnvironment();
const model = await kit.startScriptedModel({ reply: scriptOf(kit) });
const worker = await createWorker({
  connection: environment.nativeConnection,
  namespace: environment.namespace ?? 'default',
  taskQueue: 'pictures',
  home,
  providers: [createProvider({ name: 'scripted', baseUrl: model.baseUrl })],
  mcpServers: { workspace: { command: 'steersman', args: ['tools', workspace] } },
  settings: {
    workspaces: [workspace],
    models: {
      default: 'scripted/model',
      info: { 'scripted/model': { prices: { input: 2, cachedInput: 0.2, output: 10 } } },
    },
  },
});
const working = worker.run();
const client = await connect({ temporal: { client: environment.client }, home });
const served = await serveConsole({ client, home, port: 0, workspace, report: () => undefined });
const browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] });

const SIZES = { wide: { width: 1280, height: 720 }, phone: { width: 390, height: 800 } };

/**
 * Chinese characters come from a package, because a machine may have no font with them. They get the names of the
 * fonts that the page wants for prose and for code. All other characters are in the machine's own fonts.
 */
const FONT = dirname(fileURLToPath(import.meta.resolve('@fontsource-variable/noto-sans-sc/index.css')));
/** Returns a font face with only the Chinese characters of its range, because its Latin letters do not suit code. */
const withoutLatin = face =>
  face.replace(/unicode-range: ([^;]+)/, (_, ranges) => {
    const own = ranges.split(',').filter(range => Number.parseInt(range.slice(2), 16) >= 0x2e80);
    return `unicode-range: ${own.join(',')}`;
  });
const chinese = (
  readFileSync(join(FONT, 'index.css'), 'utf8').match(/@font-face \{[^}]*-sc-\d+-[^}]*\}/g) ?? []
)
  .map(withoutLatin)
  .filter(face => !face.includes('unicode-range: ;'));
const faces = ['PingFang SC', 'Menlo'].flatMap(name =>
  chinese.map(face => face.replace('Noto Sans SC Variable', name).replace('./files/', '/fonts/')),
);

/** All characters of the page's own texts. */
const texts = readFileSync(join(root, 'packages/console/page/words/zh.ts'), 'utf8').replace(
  /[^\u2e80-\uffff]/g,
  '',
);
const LOAD_FONTS = `(async () => {
  while (document.fonts.size === 0) await new Promise(resolve => setTimeout(resolve, 20));
  await document.fonts.load('14px "PingFang SC"', '中${texts}');
})()`;

async function giveFonts(context) {
  await context.route('**/style.css', async route => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${await response.text()}\n${faces.join('\n')}` });
  });
  // Fonts are loaded before the page's script, because text that is drawn earlier would stay without them.
  await context.route('**/app.js', async route => {
    await route.request().frame().evaluate(LOAD_FONTS);
    await route.continue();
  });
  await context.route('**/fonts/*', route =>
    route.fulfill({ path: join(FONT, 'files', basename(new URL(route.request().url()).pathname)) }),
  );
}

/** Opens a page of the console. It loads the fonts first. */
async function openPage(path, { size = 'wide', scheme = 'light', language = 'en' } = {}) {
  const context = await browser.newContext({
    ...{ viewport: SIZES[size], colorScheme: scheme, locale: language === 'zh' ? 'zh-CN' : 'en-GB' },
    // The page's policy allows no further fonts.
    bypassCSP: true,
    deviceScaleFactor: lookDir === null ? 1.5 : 1,
  });
  await giveFonts(context);
  const page = await context.newPage();
  page.on('pageerror', error => console.error(`${path}: ${error.message}`));
  page.on('console', said => said.type() === 'error' && console.error(`${path}: ${said.text()}`));
  await page.goto(served.link());
  await page.locator('nav.top').waitFor();
  await page.goto(new URL(path, served.link()).href);
  await page.locator('main').waitFor();
  return page;
}

async function take(name, path, { ready, ...look } = {}) {
  const looks = lookDir === null ? [look] : LOOKS;
  for (const each of looks) {
    const page = await openPage(path, each);
    await ready?.(page);
    await page.waitForTimeout(800);
    const file =
      lookDir === null
        ? join(root, 'docs/pictures', `${name}.png`)
        : join(lookDir, `${name}-${each.size}-${each.scheme}-${each.language}.png`);
    await page.screenshot({ path: file });
    console.log(file);
    await page.context().close();
  }
}

const LOOKS = [
  { size: 'wide', scheme: 'light', language: 'en' },
  { size: 'wide', scheme: 'dark', language: 'zh' },
  { size: 'phone', scheme: 'light', language: 'en' },
  { size: 'phone', scheme: 'dark', language: 'zh' },
];

async function gateOf(run) {
  for (;;) {
    const { gates, endedAt, failure, answer } = await run.show();
    if (gates[0]) return gates[0];
    if (endedAt !== null) throw new Error(`The run has ended: ${failure?.message ?? answer}`);
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

try {
  if (lookDir !== null) mkdirSync(lookDir, { recursive: true });
  if (lookDir !== null) await take('empty', '/');
  const run = await client.start(GOAL, {
    workspace,
    attended: true,
    taskQueue: 'pictures',
    id: 'mend-the-total',
  });
  const first = await gateOf(run);
  const path = `/runs/${run.id}`;
  const card = page => page.locator('[data-gate] .answers').first().waitFor();
  await take('console', path, { ready: card });
  await take('console-home', '/', { ready: card });
  if (lookDir !== null) {
    await take('edit', path, {
      ready: async page => {
        await card(page);
        await page.waitForTimeout(700);
        await page.getByRole('button', { name: /^(Edit|修改)$/ }).click();
      },
    });
  }
  await run.answerGate(first.id, { decision: 'approve' });
  const second = await gateOf(run);
  if (lookDir !== null) await take('command', path, { ready: card });
  await run.answerGate(second.id, { decision: 'approve' });
  await run.result();
  await take('console-files', `${path}#files`, { ready: page => page.locator('.diff').waitFor() });
  if (lookDir !== null) {
    await take('calls', `${path}#modelCalls`, {
      ready: page => page.locator('details.artifact > summary').nth(1).click(),
    });
    await take('ended', path, { ready: page => page.locator('.entry.answer').waitFor() });
    await take('timeline', `${path}#timeline`);
    await take('plan', `${path}#plan`);
    await take('runs', '/runs', { ready: page => page.locator('.row').first().waitFor() });
    await take('home-after', '/', {
      ready: async page => {
        await page.locator('.spent-fold > summary').click();
        await page.locator('.start details > summary').click();
      },
    });
    await take('session', `/sessions/${run.id}`);
    const several = await client.start('Say what each file is for.', {
      workspace,
      attended: true,
      taskQueue: 'pictures',
      mode: 'react',
    });
    await gateOf(several);
    await take('several', `/runs/${several.id}`, { ready: card });
    const asked = await client.start('Ask me which port.', {
      workspace,
      attended: true,
      taskQueue: 'pictures',
      mode: 'react',
    });
    await gateOf(asked);
    await take('waiting', '/', { ready: card });
  }
} finally {
  await browser.close();
  await served.close();
  await client.close();
  worker.shutdown();
  await working;
  await model.close();
  await environment.teardown();
  rmSync(dir, { recursive: true, force: true });
}
// Temporal's client may try a request again by a timer, after its connection was closed.
process.exit();
