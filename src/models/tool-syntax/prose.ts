/** What a watcher sees of a reply that writes its calls into its text: what it says before them. */
const TAGS = ['tool_calls', 'tool_call', 'function_calls', 'tool_result', 'function', 'invoke'];
const BEGINS = new RegExp(`<(?:${TAGS.join('|')})[\\s=/>]`, 'gi');
const LONGEST = Math.max(...TAGS.map(tag => tag.length)) + 1;

/** Of one reply: takes its text so far, gives what may be shown. What could become a tag waits until it is none. */
export function proseReader(): (text: string) => string {
  let searched = 0;
  let end: number | null = null;
  return text => {
    // The reply was begun anew.
    if (text.length < searched) {
      searched = 0;
      end = null;
    }
    BEGINS.lastIndex = Math.max(0, searched - LONGEST);
    end ??= BEGINS.exec(text)?.index ?? null;
    searched = text.length;
    if (end !== null) return text.slice(0, end);
    const last = text.lastIndexOf('<');
    const begun = text.slice(last + 1, last + 1 + LONGEST).toLowerCase();
    const mayBegin = last >= 0 && text.length - last <= LONGEST && TAGS.some(tag => tag.startsWith(begun));
    return mayBegin ? text.slice(0, last) : text;
  };
}
