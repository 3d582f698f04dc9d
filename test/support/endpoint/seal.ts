/** Signatures of thinking and encrypted reasoning: only the server that made one takes it back, unchanged. */
import { createHmac, randomUUID } from 'node:crypto';

export class Seal {
  /** Servers with the same key take each other's: a server that comes back at its address is the same. */
  key: string;

  constructor(key: string = randomUUID()) {
    this.key = key;
  }

  /** The signature of a text. */
  sign(text: string): string {
    return createHmac('sha256', this.key).update(text).digest('base64');
  }

  /** A text as none but this server can read it. */
  close(text: string): string {
    const sealed = Buffer.from(text).toString('base64url');
    return `gAAAA${sealed}.${this.sign(sealed)}`;
  }

  /** Whether `sealed` comes from `close` of this server. */
  opens(sealed: string): boolean {
    const [text = '', signature] = sealed.replace(/^gAAAA/, '').split('.');
    return signature === this.sign(text);
  }
}
