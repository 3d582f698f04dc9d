/** Markdown. What reads it and makes it safe is half of the page: it is loaded when there is something to read. */
import { lazily } from '../lazy.js';

export const Markdown = lazily(
  () => import('./safe-markdown.js').then(({ SafeMarkdown }) => SafeMarkdown),
  ({ text }) => <div class="markdown plain">{text}</div>,
);
