/** Models that can be used, as lines for people. */
import type { ModelPrices } from '../../models/model-info.js';
import { plural } from '../../shared/format.js';
import type { Colors } from '../../shared/output.js';
import { terminalText } from '../../shared/terminal-text.js';
import type { EndpointModels, UsableModel } from './list-models.js';

const HEADINGS = ['', 'context', 'reply', '$ a million tokens', 'can'] as const;

/**
 * An endpoint with its models. `all`: also those that are neither configured nor known, of which providers list many
 * that are for speech or pictures.
 */
export function endpointLines(
  { endpoint, protocol, address, fault, models }: EndpointModels,
  colors: Colors,
  all: boolean,
): string[] {
  const anyKnown = models.some(model => isKnown(model));
  const shown = models.filter(model => all || !anyKnown || model.configured || isKnown(model));
  const left = models.length - shown.length;
  const title = `${colors.bold(endpoint)}  ${protocol}${address === null ? '' : `  ${terminalText(address)}`}`;
  return [
    title,
    ...(fault === null ? [] : [`  ${colors.red('✖')} ${terminalText(fault)}`]),
    ...table(shown.map(cells)).map((line, index) => `  ${index === 0 ? colors.dim(line) : line}`),
    ...(left === 0 ? [] : [colors.dim(`  and ${plural(left, 'model')} of which nothing is known (--all)`)]),
  ];
}

function isKnown({ info }: UsableModel): boolean {
  return info.prices !== null || Object.values(info.capabilities).some(can => can !== null);
}

function cells({ id, configured, listed, info }: UsableModel): string[] {
  const { contextTokens, maxOutputTokens, prices, capabilities } = info;
  const can = Object.entries(capabilities).flatMap(([name, value]) => (value === true ? [name] : []));
  return [
    `${configured ? '*' : ' '} ${terminalText(id)}${listed === false ? ' (not listed)' : ''}`,
    tokens(contextTokens),
    tokens(maxOutputTokens),
    prices === null ? '?' : priceText(prices),
    can.join(' '),
  ];
}

/** `272k`, `1M`; `?` where it is not known. */
function tokens(count: number | null): string {
  if (count === null) return '?';
  return count < 1_000_000 ? `${Math.round(count / 1_000)}k` : `${Number((count / 1_000_000).toFixed(2))}M`;
}

/** `0.25 in, 2 out, 0.025 cached`. */
function priceText({ input, output, cachedInput, longContext }: ModelPrices): string {
  const cached = cachedInput === undefined ? '' : `, ${cachedInput} cached`;
  const [long] = longContext ?? [];
  const more = long === undefined ? '' : `; over ${tokens(long.above)}: ${long.input} in, ${long.output} out`;
  return `${input} in, ${output} out${cached}${more}`;
}

/** Nothing for no rows. */
function table(rows: string[][]): string[] {
  if (rows.length === 0) return [];
  const all = [[...HEADINGS], ...rows];
  const widths = HEADINGS.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0)));
  return all.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
