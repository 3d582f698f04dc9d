/**
 * Draws Markdown. Its parser and sanitizer are a third of a run's page, so they are loaded for the first text that
 * needs them. Until then that text is shown as plain text.
 */
import { useMemo } from 'preact/hooks';
import { visibleText } from 'steersman/base';
import { isPlain, paragraphsOf } from './is-plain.js';
import { lazily } from './lazy.js';

interface TextProps {
  text: string;
}

const SafeMarkdown = lazily<TextProps>(
  () => import('./safe-markdown.js').then(({ SafeMarkdown }) => SafeMarkdown),
  Plain,
);

/** Draws a text of models or tools: hidden characters become visible, and its cost is limited. */
export function Markdown({ text }: TextProps) {
  const shown = useMemo(() => visibleText(text), [text]);
  return isPlain(shown) ? <Plain text={shown} /> : <SafeMarkdown text={shown} />;
}

function Plain({ text }: TextProps) {
  return (
    <div class="markdown plain">
      {paragraphsOf(text).map((part, at) => (
        <p key={at}>{part}</p>
      ))}
    </div>
  );
}
