import { describe, expect, test } from 'vitest';
import { SendQueue } from '../../../packages/session/send-queue.js';

const AWAY = new Error('away');
const ENDED = new Error('ended');

function queue() {
  const taken: string[] = [];
  const failed: { error: unknown; texts: string[] }[] = [];
  let waits = 0;
  const sender = new SendQueue({
    mayPass: error => error === AWAY,
    pause: async () => undefined,
    waits: () => {
      waits += 1;
    },
    failed: (error, texts) => failed.push({ error, texts }),
  });
  /** Adds a message that is taken after the errors, one a try. */
  const say = (text: string, ...errors: Error[]) =>
    sender.add({
      text,
      send: async () => {
        const error = errors.shift();
        // Later ones would overtake it, if they were not held.
        await new Promise(resolve => setImmediate(resolve));
        if (error) throw error;
        taken.push(text);
      },
    });
  const press = (name: string, error?: Error) =>
    sender.add({
      text: null,
      send: async () => {
        if (error) throw error;
        taken.push(name);
      },
    });
  return { sender, say, press, taken, failed, waits: () => waits };
}

describe('the send queue', () => {
  test('messages typed at once, the first the slowest (PR6) → taken one after another, in order', async () => {
    const { sender, say, press, taken } = queue();
    say('1', AWAY, AWAY);
    say('2');
    press('resume');
    say('3', AWAY);
    await sender.drained();
    expect(taken).toEqual(['1', '2', 'resume', '3']);
  });

  test('a server that is away (PR6) → the message waits and is told of once', async () => {
    const { sender, say, taken, waits } = queue();
    say('1', AWAY, AWAY, AWAY);
    await sender.drained();
    expect({ taken, waits: waits() }).toEqual({ taken: ['1'], waits: 1 });
  });

  test('a message that is not taken (PR6) → it and all said after it come back, in order; switches still go', async () => {
    const { sender, say, press, taken, failed } = queue();
    say('1');
    say('2', ENDED);
    say('3');
    press('pause');
    say('4');
    await sender.drained();
    expect(taken).toEqual(['1', 'pause']);
    expect(failed).toEqual([{ error: ENDED, texts: ['2', '3', '4'] }]);
    say('5');
    await sender.drained();
    expect(taken).toEqual(['1', 'pause', '5']);
  });

  test('an answer that is refused → messages behind it are sent', async () => {
    const { sender, say, press, taken, failed } = queue();
    press('approve', ENDED);
    say('1');
    await sender.drained();
    expect({ taken, failed }).toEqual({ taken: ['1'], failed: [{ error: ENDED, texts: [] }] });
  });

  test('closed while messages wait → their texts, in order', async () => {
    const { sender, say } = queue();
    say('1', AWAY, AWAY);
    say('2');
    expect(sender.close()).toEqual(['1', '2']);
    await sender.drained();
  });
});
