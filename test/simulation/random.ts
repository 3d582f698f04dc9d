/** A small seeded generator (mulberry32): the same seed gives the same world on every machine. */

export class Random {
  #state: number;

  /** Parts are mixed, so that `new Random(seed, 'model', 3)` is independent of what others drew. */
  constructor(...parts: (number | string)[]) {
    this.#state = parts.reduce<number>((hash, part) => mix(hash, String(part)), 0x811c9dc5);
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** From `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  /** One of the values, by weight. */
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let at = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of choices) {
      at -= weight;
      if (at < 0) return value;
    }
    return this.pick(choices)[1];
  }

  /** Each item with the given probability, in order. */
  some<T>(items: readonly T[], probability: number): T[] {
    return items.filter(() => this.chance(probability));
  }
}

function mix(hash: number, text: string): number {
  let mixed = hash;
  for (let index = 0; index < text.length; index += 1) {
    mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return Math.imul(mixed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
}
