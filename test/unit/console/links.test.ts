import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Links } from '../../../packages/console/links.js';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'links-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const files = () => readdirSync(join(home, 'console'));
const age = (name: string, seconds: number) =>
  utimesSync(join(home, 'console', name), new Date(), new Date(Date.now() - seconds * 1_000));

test('links: a link → opens once, for any process of this home', () => {
  const word = new Links(home).create();
  const token = new Links(home).redeem(word);
  expect(new Links(home).knows(token ?? '')).toBe(true);
  expect(new Links(home).redeem(word)).toBeNull();
});

test('links: what is on disk → for this user alone', () => {
  new Links(home).create();
  const folder = join(home, 'console');
  const modes = [folder, ...files().map(name => join(folder, name))].map(path => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
});

test('links: what is on disk → neither the word nor the token', () => {
  const word = new Links(home).create();
  expect(files().join()).not.toContain(word);
  const token = new Links(home).redeem(word) ?? '';
  expect(files().join()).not.toContain(token);
});

test('WB15 links: a browser is opened → the word stands in no argument, but in a file of this user, until it is used', () => {
  const links = new Links(home);
  const word = links.create();
  const page = links.pageTo(`http://127.0.0.1:7418/#${word}`);
  expect(page).not.toContain(word);
  expect(statSync(page).mode & 0o777).toBe(0o600);
  expect(readFileSync(page, 'utf8')).toContain(`location.replace("http://127.0.0.1:7418/#${word}")`);
  expect(links.redeem(word)).not.toBeNull();
  expect(existsSync(page)).toBe(false);
});

test('links: words that are none → no token', () => {
  const links = new Links(home);
  expect(links.redeem('nobody')).toBeNull();
  expect(links.redeem('../../etc/passwd')).toBeNull();
  const token = links.redeem(links.create()) ?? '';
  expect(links.redeem(token)).toBeNull();
  expect(links.knows('')).toBe(false);
  expect(links.knows(links.create())).toBe(false);
});

test('links: an old link → no token; old files are swept, others stay', () => {
  const links = new Links(home);
  const old = links.create();
  age(files()[0] ?? '', 601);
  const fresh = links.create();
  links.sweep();
  expect(files()).toHaveLength(1);
  expect(links.redeem(old)).toBeNull();
  expect(links.redeem(fresh)).not.toBeNull();
});

test('links: a token that is too old → not known, also by a console that has run all the while', () => {
  const links = new Links(home);
  const token = links.redeem(links.create()) ?? '';
  const [name = ''] = files();
  age(name, 30 * 86_400 - 60);
  expect(links.knows(token)).toBe(true);
  age(name, 30 * 86_400 + 1);
  expect(links.knows(token)).toBe(false);
});
