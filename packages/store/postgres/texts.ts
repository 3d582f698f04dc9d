/** Texts on PostgreSQL: every worker and client can read what another one stored. */

import type { TextStore } from 'steersman/shared';
import { BLOB_REF, bytesOf, hashOf, refOf, runFolder } from 'steersman/shared';
import { type Database, TIME } from './migrations.js';

/** References have the same form as those of a folder, so one store's references work in the other. */
export function postgresTexts(database: Database, namespaceId?: () => Promise<string | null>): TextStore {
  return {
    async put(runId, data) {
      const bytes = bytesOf(data);
      const hash = hashOf(bytes);
      await database.query(
        `INSERT INTO steersman.stored_text (workflow_id, hash, namespace_id, data) VALUES ($1, $2, $3, $4)
        ON CONFLICT (workflow_id, hash, namespace_id) DO UPDATE SET stored_at = now()`,
        [runId, hash, (await namespaceId?.()) ?? '', bytes],
      );
      return refOf(runId, hash);
    },
    async read(runId, ref, { offset, length }) {
      const [, run, hash] = BLOB_REF.exec(ref) ?? [];
      if (hash === undefined || run !== runFolder(runId)) return null;
      const from = Math.max(0, offset);
      const [found] = await database.query(
        `SELECT substring(data FROM $3::int FOR $4::int) AS data, length(data) AS total
        FROM steersman.stored_text WHERE workflow_id = $1 AND hash = $2 LIMIT 1`,
        [runId, hash, from + 1, Math.max(0, length)],
      );
      if (!found) return null;
      return { data: Buffer.from(found.data as Uint8Array), totalBytes: Number(found.total) };
    },
    async removeOf(workflowIds) {
      const gone = await database.query(
        'DELETE FROM steersman.stored_text WHERE workflow_id = ANY($1::text[]) RETURNING hash',
        [workflowIds],
      );
      return gone.length;
    },
    async prune(by, isOver) {
      const old = await database.query(
        `SELECT workflow_id, namespace_id FROM steersman.stored_text WHERE namespace_id <> ''
        GROUP BY workflow_id, namespace_id HAVING max(stored_at) < ${TIME('$1')}`,
        [by.getTime()],
      );
      let removed = 0;
      for (const { workflow_id, namespace_id } of old) {
        const owner = { workflowId: String(workflow_id), namespaceId: String(namespace_id) };
        if (!(await isOver(owner, by).catch(() => false))) continue;
        const gone = await database.query(
          `DELETE FROM steersman.stored_text
          WHERE workflow_id = $1 AND namespace_id = $2 AND stored_at < ${TIME('$3')} RETURNING hash`,
          [owner.workflowId, owner.namespaceId, by.getTime()],
        );
        removed += gone.length;
      }
      return removed;
    },
  };
}
