/**
 * Markdown. What reads it and makes it safe is a third of a run's page: it is loaded for the first text that has any,
 * and until it is there that text stands as it is.
 */
import { lazily } from '../lazy.js';
import { isPlain } from './is-plain.js';

interface TextProps {
  text: string;
}

const SafeMarkdown = lazily<TextProps>(
  () => import('./safe-markdown.js').then(({ SafeMarkdown }) => SafeMarkdown),
  Plain,
);

export function Markdown({ text }: TextProps) {
  return isPlain(text) ? <Plain text={text} /> : <SafeMarkdown text={text} />;
}

function Plain({ text }: TextProps) {
  return (
    <div class="markdown plain">
      {text
        .trim()
        .split(/\n\s*\n/)
        .map((part, at) => (
          <p key={at}>{part}</p>
        ))}
    </div>
  );
}
