/** Finds messages in the store on PostgreSQL: by an index of short parts, or in the newest conversations first. */

import { parseJson } from 'steersman/base';
import { isStoredLine, type StoredLine } from 'steersman/run';
import type { Hit, SessionStore } from 'steersman/shared';
import { foundText, gramsOf, lowerWords, partWith } from 'steersman/shared';
import type { Row, Sql } from './migrations.js';

type Asked = Parameters<SessionStore['search']>[0];
/** If at least this many messages have the words, the newest conversations are searched instead. */
const RARE = 500;

export async function search({ query }: Sql, { sessions, text, limit }: Asked): Promise<Hit[]> {
  const words = lowerWords(text);
  if (words.length === 0) return [];
  const grams = [...new Set(words.flatMap(gramsOf))];
  const asked = [words.map(anywhere), sessions ?? null, most(limit)];
  const rare = grams.length > 0 ? await query(RARE_HITS, [...asked, grams]) : [];
  const isRare = grams.length > 0 && Number(rare[0]?.count ?? 0) < RARE;
  const found = isRare ? rare : await query(NEWEST_HITS, asked);
  return found.flatMap(({ session, chain, workflow_id, body }) => {
    const [kept] = linesOf({ body });
    const part = kept?.kind === 'message' ? partWith(foundText(kept.message), words) : null;
    if (kept?.kind !== 'message' || part === null) return [];
    const { id, at } = kept.message;
    return [
      {
        session: String(session),
        chain: String(chain),
        workflowId: String(workflow_id),
        message: id,
        at,
        text: part,
      },
    ];
  });
}

const HAS_WORDS = 'record.words LIKE ALL($1::text[]) AND ($2::text[] IS NULL OR record.session = ANY($2))';

/** Searches by the index, then sorts. */
const RARE_HITS = `WITH found AS MATERIALIZED (
    SELECT session, chain, kind, n FROM steersman.record WHERE grams @> $4::int[] AND ${HAS_WORDS} LIMIT ${RARE}
  )
  SELECT session, chain, run.workflow_id, record.body, (SELECT count(*) FROM found) AS count
  FROM found JOIN steersman.record USING (session, chain, kind, n) JOIN steersman.run USING (session, chain)
    JOIN steersman.session ON session.id = run.session
  ORDER BY session.changed_at DESC, session.id, run.started_at DESC, n DESC LIMIT $3`;

/** Searches the newest conversations first, and stops at the limit. */
const NEWEST_HITS = `SELECT hit.* FROM steersman.session, LATERAL (
    SELECT session, chain, run.workflow_id, run.started_at, n, record.body
    FROM steersman.run JOIN steersman.record USING (session, chain)
    WHERE run.session = session.id AND ${HAS_WORDS}
    ORDER BY run.started_at DESC, n DESC LIMIT $3
  ) AS hit
  ORDER BY session.changed_at DESC, session.id, hit.started_at DESC, hit.n DESC LIMIT $3`;

/** Returns a LIKE pattern for the word anywhere in a text, with its special characters escaped. */
export function anywhere(word: string): string {
  return `%${word.replace(/[\\%_]/g, '\\$&')}%`;
}

export function most(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}

export function linesOf({ body }: Row): StoredLine[] {
  const parsed = parseJson(String(body));
  return isStoredLine(parsed) ? [parsed] : [];
}
