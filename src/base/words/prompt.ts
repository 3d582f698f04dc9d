/** Prompt templates (P2, P10), and the marking of text as data instead of instruction (K2). */

/** A mistake in a template. The message begins with `file:line:`. */
export class PromptError extends Error {
  readonly file: string;
  /** Line number, from 1. */
  readonly line: number;
  /** The message without its place. */
  readonly problem: string;

  constructor(file: string, line: number, problem: string) {
    super(`${file}:${line}: ${problem}`);
    this.name = 'PromptError';
    this.file = file;
    this.line = line;
    this.problem = problem;
  }
}

export interface TemplateSource {
  file: string;
  /** The line of the file at which the template begins, if front matter was removed. Default 1. */
  firstLine?: number;
  /** Variables that are also replaced in single braces (P18); all other single braces are text, such as JSON. */
  singleBrace?: readonly string[];
}

/** The placeholder for the business context, which every core template must have. */
const BUSINESS_CONTEXT = 'businessContext';

// Matches `{{name}}`, else a stray `{{`, else `{name}`. No part can match in two ways, so time is linear.
const PLACEHOLDER = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}|\{\{|\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Fills `{{x}}`, and `{x}` of declared variables, in one pass; inserted values are not searched again. @throws PromptError */
export function renderTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  source: TemplateSource,
): string {
  return replacePlaceholders(template, source, (name, line) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value !== undefined) return value;
    const known = Object.keys(values).join(', ') || 'none';
    throw new PromptError(source.file, line, `{{${name}}} is not a known variable (known: ${known}).`);
  });
}

/** Checks that a core template has the placeholder for the business context. @throws PromptError with file and line. */
export function validateCoreTemplate(template: string, source: TemplateSource): void {
  const names = new Set<string>();
  replacePlaceholders(template, source, name => {
    names.add(name);
    return '';
  });
  if (names.has(BUSINESS_CONTEXT)) return;
  const line = source.firstLine ?? 1;
  throw new PromptError(
    source.file,
    line,
    `{{${BUSINESS_CONTEXT}}} is missing: a core template must say where it goes.`,
  );
}

/** Returns the names in single or double braces of a template, each once; `{{` for an incomplete one. */
export function placeholdersOf(template: string): string[] {
  const found = [...template.matchAll(PLACEHOLDER)].map(([all, double, single]) => double ?? single ?? all);
  return [...new Set(found)];
}

function replacePlaceholders(
  template: string,
  source: TemplateSource,
  fill: (name: string, line: number) => string,
): string {
  const declared = new Set(source.singleBrace ?? []);
  return template.replace(
    PLACEHOLDER,
    (found: string, double: string | undefined, single: string | undefined, at: number) => {
      if (single !== undefined && !declared.has(single)) return found;
      const line = lineOf(template, at) + (source.firstLine ?? 1) - 1;
      const name = double ?? single;
      if (name !== undefined) return fill(name, line);
      const rest = template.slice(at, at + 20).split('\n')[0] ?? '';
      throw new PromptError(
        source.file,
        line,
        `"${rest}" begins a placeholder that is not complete: write {{name}}.`,
      );
    },
  );
}

export function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

const TAG_NAME = /^[a-z][a-z0-9_-]*$/;
/** Characters that look like `<`, and characters that are invisible within a tag: spaces, marks, format characters. */
const OPENS_TAG = /[<\uFE64\uFF1C]/gu;
const UNSEEN = /[\s/\\\p{C}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** Wraps foreign text as data: `<tag>…</tag>`. */
export function delimit(
  tag: string,
  text: string,
  attributes: Readonly<Record<string, string>> = {},
): string {
  // Anything inside that looks like the tag is escaped, in any case or width, even with spaces or invisible characters,
  // so that the text can't end its own wrapping.
  if (!TAG_NAME.test(tag)) throw new RangeError(`"${tag}" cannot be a tag`);
  const safe = text.replace(OPENS_TAG, (found, at: number) => (namesTag(text, at + 1, tag) ? '&lt;' : found));
  const named = Object.entries(attributes).map(([name, value]) => ` ${name}="${value}"`);
  return `<${tag}${named.join('')}>\n${safe}\n</${tag}>`;
}

/** True if the text from `from` on begins with the tag's name, as a reader sees it. */
function namesTag(text: string, from: number, tag: string): boolean {
  let matched = 0;
  for (let at = from; at < text.length && matched < tag.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    at += character.length;
    const plain = character.normalize('NFKC').replace(UNSEEN, '').toLowerCase();
    if (!tag.startsWith(plain, matched)) return false;
    matched += plain.length;
  }
  return matched === tag.length;
}
