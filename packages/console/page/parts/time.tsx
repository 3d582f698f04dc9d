/** Draws relative times; the exact time is in the title. */
import { signal } from '@preact/signals';
import { formatDuration } from 'steersman/base';
import { language, t } from '../words/words.js';

/** The current time, updated every second while the page is visible. */
export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 1_000);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});

function exact(at: number): string {
  return new Date(at).toLocaleString(language.value === 'zh' ? 'zh-CN' : undefined);
}

export function Ago({ at }: { at: number | string }) {
  const moment = typeof at === 'string' ? Date.parse(at) : at;
  return (
    <time dateTime={new Date(moment).toISOString()} title={exact(moment)}>
      {agoWords(now.value - moment)}
    </time>
  );
}

function agoWords(ms: number): string {
  if (ms < 5_000) return t('justNow');
  const [value, unit] = largest(ms);
  return new Intl.RelativeTimeFormat(language.value, { style: 'short' }).format(-value, unit);
}

function largest(ms: number): [number, Intl.RelativeTimeFormatUnit] {
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return [seconds, 'second'];
  if (seconds < 3_600) return [Math.floor(seconds / 60), 'minute'];
  if (seconds < 86_400) return [Math.floor(seconds / 3_600), 'hour'];
  return [Math.floor(seconds / 86_400), 'day'];
}

/** Counts down to a time; the last minute is emphasized. */
export function Countdown({ to }: { to: number }) {
  const left = to - now.value;
  return (
    <time class={left < 60_000 ? 'due soon' : 'due'} dateTime={new Date(to).toISOString()} title={exact(to)}>
      {left <= 0 ? t('dueNow') : t('dueIn', { time: wholeSeconds(left) })}
    </time>
  );
}

/** Formats without tenths of seconds, which would flicker. */
export function wholeSeconds(ms: number): string {
  return ms < 60_000 ? `${Math.ceil(ms / 1_000)}${t('unit_s')}` : durationWords(ms);
}

/** Formats `3.2 s`, `4 min 12 s`, with units in the page's language. */
export function durationWords(ms: number): string {
  return formatDuration(ms).replace(/ (ms|s|min|h|d)\b/g, (_, unit: Unit) => t(`unit_${unit}`));
}

type Unit = 'ms' | 's' | 'min' | 'h' | 'd';
