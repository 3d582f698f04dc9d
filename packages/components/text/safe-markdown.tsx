/** Markdown of models and tools: `marked` parses it, and DOMPurify sanitizes it last. The HTML is not changed afterwards. */

import { isCostly } from '@steersman/view';
import { Marked } from 'marked';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { MOST_LINES } from './is-plain.js';
import { purifier } from './purifier.js';

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // Loading an image would reveal the reader to its server, so it becomes a link.
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text || href)}</a>`,
    // HTML in a text is shown as text.
    html: ({ text }) => escaped(text),
  },
});

const TAGS =
  'a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i input kbd li ol p pre s strong sub sup table tbody td th thead tr ul';
const RULES = {
  ALLOWED_TAGS: TAGS.split(' '),
  ALLOWED_ATTR: ['href', 'title', 'start', 'align', 'type', 'checked', 'disabled', 'rel', 'target'],
  // Otherwise the rule for addresses would also apply to these attributes.
  ADD_URI_SAFE_ATTR: ['title', 'start', 'align', 'type', 'checked', 'disabled', 'rel', 'target'],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true as const,
};

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Returns a fragment, because HTML that is parsed twice may change its meaning. */
function safe(text: string): DocumentFragment | string {
  if (isCostly(text)) return text;
  try {
    return purifier().sanitize(marked.parse(text, { async: false }), RULES);
  } catch {
    // The text nests deeper than the call stack allows.
    return text;
  }
}

export function SafeMarkdown({ text }: { text: string }) {
  const ref = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const fragment = safe(text);
    if (typeof fragment !== 'string') colourDiffs(fragment);
    ref.current?.classList.toggle('plain', typeof fragment === 'string');
    ref.current?.replaceChildren(fragment);
  }, [text]);
  return <div class="markdown" ref={ref} />;
}

/** Colours code blocks that look like differences; the block's language is unknown, because classes are removed. */
function colourDiffs(fragment: DocumentFragment): void {
  for (const code of fragment.querySelectorAll('pre > code')) {
    const lines = (code.textContent ?? '').replace(/\n$/, '').split('\n');
    if (lines.length > MOST_LINES || !isDiff(lines)) continue;
    code.replaceChildren(...lines.map(diffLine));
  }
}

function isDiff(lines: readonly string[]): boolean {
  const shown = lines.filter(line => line !== '');
  return shown.some(line => /^[-+]/.test(line)) && shown.every(line => /^(?:[-+ ]|@@|…|\\)/.test(line));
}

function diffLine(line: string): HTMLElement {
  const span = document.createElement('span');
  span.className = line.startsWith('+') ? 'line come' : line.startsWith('-') ? 'line gone' : 'line';
  span.textContent = `${line}\n`;
  return span;
}
