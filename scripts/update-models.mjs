// Writes src/models/provider/model-info.json: facts about models, from the data that LiteLLM keeps (MIT). Needs pip.
// npm run models:update -- 1.109.1

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';

const TARGET = new URL('../src/models/provider/model-info.json', import.meta.url);
const DATA = 'litellm/model_prices_and_context_window_backup.json';
const LICENSE = /^litellm-[^/]+\/licenses\/LICENSE$/;

/** Providers that sell models under their own names, and whose endpoints runs can use unchanged. */
const PROVIDERS = [
  'openai',
  'anthropic',
  'gemini',
  'xai',
  'deepseek',
  'mistral',
  'groq',
  'cerebras',
  'together_ai',
  'dashscope',
  'moonshot',
  'zai',
  'minimax',
];
const CAPABILITIES = {
  tools: 'supports_function_calling',
  vision: 'supports_vision',
  json: 'supports_response_schema',
  reasoning: 'supports_reasoning',
};
/** Keys with the price of long contexts. Keys of faster or slower tiers do not match. */
const LONG_CONTEXT = /^input_cost_per_token_above_(\d+)k_tokens$/;

const [version] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) {
  console.error('Name the version of LiteLLM: npm run models:update -- 1.109.1');
  process.exit(2);
}
const { data, license } = download(version);
const providers = Object.fromEntries(PROVIDERS.map(name => [name, modelsOf(name, data)]));
const source = `litellm ${version} (PyPI), ${DATA}`;
writeFileSync(TARGET, text({ source, license, providers }));

function download(wanted) {
  const dir = mkdtempSync(join(tmpdir(), 'litellm-'));
  try {
    execFileSync('pip', ['download', '--quiet', '--no-deps', '--dest', dir, `litellm==${wanted}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [wheel = ''] = readdirSync(dir);
    const files = unzipSync(readFileSync(join(dir, wheel)), {
      filter: ({ name }) => name === DATA || (name.endsWith('/LICENSE') && name.startsWith('litellm-')),
    });
    const textOf = name => new TextDecoder().decode(files[name]);
    const notice = textOf(Object.keys(files).find(name => LICENSE.test(name)));
    return { data: JSON.parse(textOf(DATA)), license: notice.slice(notice.indexOf('MIT License')).trim() };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/**
 * Returns models by their names without provider, in lower case. A dated version that equals the plain one is left
 * out.
 */
function modelsOf(provider, all) {
  const models = new Map();
  for (const [id, entry] of Object.entries(all)) {
    if (entry.litellm_provider !== provider || !['chat', 'responses'].includes(entry.mode)) continue;
    if (id.startsWith('ft:') || !(entry.max_input_tokens > 0)) continue;
    const name = id.startsWith(`${provider}/`) ? id.slice(provider.length + 1) : id;
    models.set(name.toLowerCase(), factsOf(entry));
  }
  const dated = /(-\d{4}-\d{2}-\d{2}|-\d{4,8}|-latest)$/;
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  const kept = [...models].filter(([name, facts]) => {
    const plain = name.replace(dated, '');
    return plain === name || !same(models.get(plain), facts);
  });
  return Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function factsOf(entry) {
  const can = {};
  for (const [name, flag] of Object.entries(CAPABILITIES))
    if (entry[flag] !== undefined) can[name] = entry[flag];
  const prices = pricesOf(entry);
  return {
    contextTokens: entry.max_input_tokens,
    ...(entry.max_output_tokens > 0 ? { maxOutputTokens: entry.max_output_tokens } : {}),
    ...(prices ? { prices } : {}),
    ...(Object.keys(can).length > 0 ? { capabilities: can } : {}),
  };
}

function pricesOf(entry) {
  const ranges = entry.tiered_pricing?.map(tier => ({ above: tier.range?.[0], ...pricesAt(tier) }));
  const [first, ...further] = ranges ?? [];
  const base = first ?? pricesAt(entry);
  if (base.input === undefined || base.output === undefined) return null;
  const above = Object.keys(entry).flatMap(key => LONG_CONTEXT.exec(key)?.[1] ?? []);
  const longContext = [
    ...further,
    ...above.map(k => ({ above: Number(k) * 1000, ...pricesAt(entry, `_above_${k}k_tokens`) })),
  ];
  longContext.sort((a, b) => a.above - b.above);
  const { above: _from, ...prices } = base;
  return { ...prices, ...(longContext.length > 0 ? { longContext } : {}) };
}

function pricesAt(entry, tier = '') {
  const fields = {
    input: entry[`input_cost_per_token${tier}`],
    output: entry[`output_cost_per_token${tier}`],
    cachedInput: entry[`cache_read_input_token_cost${tier}`],
    cacheWriteInput: entry[`cache_creation_input_token_cost${tier}`],
  };
  // A write to the cache that costs 0 has the price of the input, of which it is a part.
  if (fields.cacheWriteInput === 0) delete fields.cacheWriteInput;
  const given = Object.entries(fields).filter(([, price]) => typeof price === 'number');
  return Object.fromEntries(given.map(([name, price]) => [name, perMillion(price)]));
}

function perMillion(price) {
  return Number((price * 1_000_000).toPrecision(6));
}

/** Writes one model a line, so that the difference between two versions is readable. */
function text({ source, license, providers }) {
  const lines = Object.entries(providers).map(([provider, models]) => {
    const rows = Object.entries(models).map(([n, f]) => `      ${JSON.stringify(n)}: ${JSON.stringify(f)}`);
    return `    ${JSON.stringify(provider)}: {\n${rows.join(',\n')}\n    }`;
  });
  return `{\n  "source": ${JSON.stringify(source)},\n  "license": ${JSON.stringify(license)},\n  "providers": {\n${lines.join(',\n')}\n  }\n}\n`;
}
