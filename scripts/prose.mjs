// Measures how plain the English of comments and pages is, by two signs of sentences that are read twice. `npm run
// check` fails above the limits. `node scripts/prose.mjs PATH…` lists the sentences of these files and folders.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

/** A sentence with such a beginning mostly has no subject, or hides it. Conditions (when, if, where …) are fine. */
const NO_SUBJECT =
  /^(what|whether|where|whoever|who|of|else|that|how|why|by|so|also|ones?|none|those|such|nothing|nobody|behind|besides?|meanwhile|but|not)\b/i;
/** Words to which we give another meaning than everybody else. */
const IDIOM =
  /\b(nobody|none|no more|any more|for good|amid|beside|whoever|whatever|at hand|is to |are to |that is why|comes? to|comes? of)\b/i;
/** The most sentences with each sign, in percent. */
const LIMITS = { comments: { subject: 5, idiom: 3 }, pages: { subject: 3, idiom: 3 } };

const paths = process.argv.slice(2);
const CODE = ['src', 'packages', 'bench', 'scripts', 'examples'];
const where = paths.length > 0 ? paths : [...CODE, 'docs', 'README.md', 'AGENTS.md'];
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...where], {
  encoding: 'utf8',
});
/** docs/api.md is a list of code, and the tasks of benchmarks are data for models. */
const NO_PROSE = /^docs\/api\.md$|^bench\/.*(?:\/files\/|\.md$)/;
const files = listed.split('\n').filter(name => /\.(tsx?|[cm]?js|md)$/.test(name) && !NO_PROSE.test(name));

/** The pieces of prose of a file, each with the line on which it begins. */
function piecesOf(file, text) {
  if (!file.endsWith('.md')) {
    const { comments } = parseSync(file, text);
    return comments.map(({ value, start }) => ({ value, line: lineAt(text, start) }));
  }
  const withoutCode = text.replace(/```[\s\S]*?```/g, code => code.replace(/[^\n]/g, ''));
  let at = 0;
  return withoutCode.split(/(\n\s*\n|\n[-|#])/).map(value => {
    const line = lineAt(withoutCode, at);
    at += value.length;
    return { value, line };
  });
}

function lineAt(text, at) {
  return text.slice(0, at).split('\n').length;
}

function sentencesOf(piece) {
  const plain = piece
    .replace(/^\*+/, '')
    .replace(/\n\s*\*/g, ' ')
    .replace(/@\w+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const isProse = plain.split(' ').length >= 4 && !/biome|@ts-/.test(plain);
  return isProse ? plain.split(/[.;:!?]\s+(?=[A-Z`])/) : [];
}

const counts = { comments: { all: 0, subject: 0, idiom: 0 }, pages: { all: 0, subject: 0, idiom: 0 } };
for (const file of files) {
  const count = file.endsWith('.md') ? counts.pages : counts.comments;
  for (const { value, line } of piecesOf(file, readFileSync(file, 'utf8')))
    for (const sentence of sentencesOf(value)) {
      const signs = { subject: NO_SUBJECT.test(sentence), idiom: IDIOM.test(sentence) };
      count.all += 1;
      for (const sign of Object.keys(signs)) if (signs[sign]) count[sign] += 1;
      if (paths.length > 0 && (signs.subject || signs.idiom)) console.log(`${file}:${line}  ${sentence}`);
    }
}

for (const [kind, { all, ...found }] of Object.entries(counts))
  for (const [sign, count] of Object.entries(found)) {
    const share = all === 0 ? 0 : (100 * count) / all;
    const most = LIMITS[kind][sign];
    const name = sign === 'subject' ? 'begin without a subject' : 'have a word of our own';
    if (paths.length > 0) console.log(`${kind}: ${share.toFixed(1)} % of ${all} sentences ${name}`);
    else if (share > most) {
      console.error(`${kind}: ${share.toFixed(1)} % of ${all} sentences ${name}, and at most ${most} % may.`);
      console.error('List those of a file or folder with `node scripts/prose.mjs PATH`, and rewrite them.');
      process.exitCode = 1;
    }
  }
