/** Finds the messages that a summary replaces, and puts summaries in their place within stored groups of messages. */
import type { Message, UserMessage } from '../run/messages/message.js';

type Replaced = NonNullable<UserMessage['replaces']>;

/** Returns the replaced ids by the run that the store has them under: the own run has no name. */
export function replacedBy(gone: Iterable<Message>): Replaced {
  const byRun = new Map<string | undefined, string[]>();
  for (const { id, from } of gone) {
    const ids = byRun.get(from?.chain) ?? [];
    ids.push(from?.id ?? id);
    byRun.set(from?.chain, ids);
  }
  return [...byRun].map(([chain, ids]) => ({ ...(chain !== undefined && { chain }), ids }));
}

/** `groups` are the original messages, each with its origin. A summary was written last, and comes first. */
export function withSummariesInPlace(groups: readonly Message[][]): Message[][] {
  let left = [...groups];
  for (const group of groups) {
    const [summary] = group;
    if (summary?.kind !== 'user' || !summary.replaces) continue;
    const own = summary.from?.chain;
    const names = new Set(
      summary.replaces.flatMap(({ chain = own, ids }) => ids.map(id => nameOf({ chain, id }))),
    );
    const isGone = ([first]: Message[]) => first?.from !== undefined && names.has(nameOf(first.from));
    const at = left.findIndex(isGone);
    if (at < 0) continue;
    left = left.flatMap((each, index) => [
      ...(index === at ? [group] : []),
      ...(each === group || isGone(each) ? [] : [each]),
    ]);
  }
  return left;
}

function nameOf({ chain, id }: { chain: string | undefined; id: string }): string {
  return `${chain} ${id}`;
}
