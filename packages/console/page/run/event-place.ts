/** Addresses of events: `#event-12`, of a sub-agent's events `#event-search/1-12`. Pure. */

import type { Item } from '@steersman/view';
import { decoded } from 'steersman/base';

type Placed = Pick<Item, 'key' | 'path'>;

export interface EventPlace {
  /** Path of the sub-agent; empty for the run itself. */
  path: string;
  seq: number;
}

/** The id of the element that draws the item, and its address. */
export function eventId({ key }: Pick<Item, 'key'>): string {
  return `event-${key.trim().replace(' ', '-')}`;
}

/** Null for another address. */
export function eventPlace(hash: string): EventPlace | null {
  const [, path = '', seq] = /^event-(?:(.+)-)?(\d+)$/.exec(decoded(hash)) ?? [];
  return seq === undefined ? null : { path, seq: Number(seq) };
}

/** Returns the index of the item that shows the event: the last one that begins with it or before it; -1 without any. */
export function itemOf(items: readonly Placed[], { path, seq }: EventPlace): number {
  return items.findLastIndex(item => item.path === path && Number(item.key.split(' ').at(-1)) <= seq);
}
