/** What stands in a text and nobody sees, or sees elsewhere than it stands. Pure. */

/**
 * Replaces it: control characters but newline and tab; bidi controls; what takes no room; line separators that are
 * none here; joiners, which belong into emoji and some scripts and hide in others. The patterns are made anew at each
 * call: what workflows share is frozen, and a pattern for all places keeps where it is.
 */
export function replaceUnseen(text: string, by: (found: string) => string): string {
  const unseen =
    /[^\P{Cc}\n\t]|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}]|[\u180b-\u180d]|\u180f|[\ufe00-\ufe0e]|[\u{e0100}-\u{e01ef}]|\u034f/gu;
  const looseJoiners = /(?<![^\p{ASCII}])[\u200c\u200d]|[\u200c\u200d](?![^\p{ASCII}])/gu;
  return text.replace(unseen, by).replace(looseJoiners, by);
}

/** Text that is JSON already, with what is not seen escaped. */
export function escapeUnseen(json: string): string {
  const escaped = (found: string) =>
    Array.from(
      { length: found.length },
      (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join('');
  // Newlines between values are JSON's own; control characters in strings are escaped already.
  return replaceUnseen(json, escaped);
}
