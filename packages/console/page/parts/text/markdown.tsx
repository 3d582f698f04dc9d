/**
 * Markdown. What reads it and makes it safe is a third of a run's page: it is loaded for the first text that has any,
 * and until it is there that text stands as it is.
 */
import { useMemo } from 'preact/hooks';
import { visibleText } from 'steersman/base';
import { lazily } from '../lazy.js';
import { isPlain, paragraphsOf } from './is-plain.js';

interface TextProps {
  text: string;
}

const SafeMarkdown = lazily<TextProps>(
  () => import('./safe-markdown.js').then(({ SafeMarkdown }) => SafeMarkdown),
  Plain,
);

/** Words of others: what they hide is seen, and what they make has a bound. */
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
