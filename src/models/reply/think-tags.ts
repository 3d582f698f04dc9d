/**
 * Extracts thinking that an endpoint leaves in the text (M12). A reply that begins with a tag of thinking is reasoning up
 * to the tag that closes it. Tags elsewhere are text, because a reply may be about them.
 */

interface Tag {
  open: string;
  close: RegExp;
}

const THINK = /<\/think(?:ing)?>/;
/** The usual tags, and those of Gemini's endpoint, Mistral, Seed, Kimi and Gemma where no parser of their server reads them. */
const TAGS: readonly Tag[] = [
  { open: '<think>', close: THINK },
  { open: '<thinking>', close: THINK },
  { open: '<thought>', close: /<\/thought>/ },
  { open: '[THINK]', close: /\[\/THINK\]/ },
  { open: '<seed:think>', close: /<\/seed:think>/ },
  { open: '◁think▷', close: /◁\/think▷/ },
  { open: '<|channel>thought\n', close: /<channel\|>/ },
];
/** A closing tag on its own line, for thinking that the chat template opened in the prompt. */
const CLOSE_LINE = /^([\s\S]*?)\n<\/think(?:ing)?>[ \t]*(?:\n|$)/;
const MOST_HELD = 200;
/** The end of a part that could begin the closing tag, with the blanks before it: it is held back. */
const MAY_CLOSE = /\s{0,50}(?:[<[◁][/a-zA-Z:|]{0,14})?$/;

export interface SplitText {
  channel: 'text' | 'reasoning';
  text: string;
}

export class ThinkSplitter {
  /** `begin` until the text shows whether it begins with a tag; `blanks` between the thinking and the answer. */
  #state: 'begin' | 'thinking' | 'blanks' | 'text' = 'begin';
  #held = '';
  #tag: Tag | undefined;

  /** True if the thinking is in the tags in which MiniMax wants it back. */
  get isInThinkTags(): boolean {
    return this.#tag?.close === THINK;
  }

  /** Returns the text that can be assigned to a channel so far, including text held back earlier. */
  add(text: string): SplitText[] {
    if (this.#state === 'text') return parts('text', text);
    this.#held += text;
    if (this.#state === 'blanks') return this.#answer();
    if (this.#state === 'begin') {
      const begun = this.#held.trimStart();
      this.#tag = TAGS.find(({ open }) => begun.startsWith(open));
      if (this.#tag) {
        this.#state = 'thinking';
        this.#held = begun.slice(this.#tag.open.length);
      } else if (mayBegin(this.#held)) {
        return [];
      } else {
        return this.#restAs('text');
      }
    }
    return this.#thinking();
  }

  /** Returns the text that is still held back, at the end of the reply. */
  end(): SplitText[] {
    return this.#restAs(this.#state === 'thinking' ? 'reasoning' : 'text');
  }

  #thinking(): SplitText[] {
    const close = this.#tag?.close.exec(this.#held);
    if (close) {
      const reasoning = this.#held.slice(0, close.index).trimEnd();
      this.#held = this.#held.slice(close.index + close[0].length);
      this.#state = 'blanks';
      return [...parts('reasoning', reasoning), ...this.#answer()];
    }
    const cut = this.#held.search(MAY_CLOSE);
    const reasoning = this.#held.slice(0, cut);
    this.#held = this.#held.slice(cut);
    return parts('reasoning', reasoning);
  }

  #answer(): SplitText[] {
    this.#held = this.#held.trimStart();
    return this.#held === '' ? [] : this.#restAs('text');
  }

  #restAs(channel: SplitText['channel']): SplitText[] {
    const held = this.#held;
    this.#held = '';
    if (channel === 'text') this.#state = 'text';
    return parts(channel, held);
  }
}

/** True if the text so far could still become an opening tag; after a page of blanks it counts as text. */
function mayBegin(text: string): boolean {
  if (text.length > MOST_HELD) return false;
  const begin = text.trimStart();
  return TAGS.some(({ open }) => open.startsWith(begin));
}

function parts(channel: SplitText['channel'], text: string): SplitText[] {
  return text === '' ? [] : [{ channel, text }];
}

/** Splits a reply that only closes its thinking, because the prompt had opened it; returns null for every other reply. */
export function splitAtCloseLine(text: string): { reasoning: string; text: string } | null {
  const found = CLOSE_LINE.exec(text);
  if (!found || found[1] === undefined || /<think(?:ing)?>/.test(found[1])) return null;
  return { reasoning: found[1].trim(), text: text.slice(found[0].length).trimStart() };
}
