/** Shows the used part of each budget, and the usage of each role. */

import { formatCount } from 'steersman/base';
import { usageByRole } from 'steersman/run';
import { cachedShare, costWords, shortCount, tokensOf, UsageFigures } from '../parts/figures.js';
import { durationWords } from '../parts/time.js';
import type { RunModel } from '../run-model.js';
import { t, type Word } from '../words/words.js';

interface Meter {
  word: Word;
  used: number;
  limit: number | null;
  say: (value: number) => string;
}

export function UsagePanel({ run }: { run: RunModel }) {
  void run.version.value;
  const { snapshot, progress } = run;
  if (!snapshot) return null;
  return (
    <section class="panel" aria-label={t('usage')}>
      <header>
        <h2>{t('usage')}</h2>
        <UsageFigures usage={progress.usage} />
      </header>
      <p class="muted">{t('usageOfGoal')}</p>
      <dl class="meters">
        {metersOf(run).map(({ word, used, limit, say }) => (
          <div key={word}>
            <dt>{t(word)}</dt>
            <dd>
              {say(used)}
              {limit !== null && <span class="muted"> / {say(limit)}</span>}
            </dd>
            {limit !== null && (
              <dd>
                <progress
                  aria-label={t(word)}
                  class={used > 0.8 * limit ? 'high' : ''}
                  max={limit}
                  value={used}
                />
              </dd>
            )}
          </div>
        ))}
      </dl>
      {snapshot.usageBy.length > 0 && <ByRole run={run} />}
    </section>
  );
}

function metersOf({ snapshot, progress }: RunModel): Meter[] {
  const { budget = null, limits = null } = snapshot ?? {};
  const meters: Meter[] = [
    {
      word: 'budget_turns',
      used: progress.turns,
      limit: limits?.turns ?? null,
      say: formatCount,
    },
  ];
  if (budget) {
    meters.push({
      word: 'budget_tokens',
      used: budget.tokens,
      limit: limits?.tokens ?? null,
      say: shortCount,
    });
    meters.push({
      word: 'budget_wallTimeMs',
      used: budget.wallTimeMs,
      limit: limits?.wallTimeMs ?? null,
      say: durationWords,
    });
    if (budget.costUsd !== null)
      meters.push({
        word: 'budget_costUsd',
        used: budget.costUsd,
        limit: limits?.costUsd ?? null,
        say: costWords,
      });
  }
  meters.push({ word: 'toolCalls', used: progress.toolCalls, limit: null, say: formatCount });
  return meters;
}

function ByRole({ run }: { run: RunModel }) {
  void run.version.value;
  const entries = run.snapshot?.usageBy ?? [];
  const calls = (role: string) =>
    entries.filter(each => each.role === role).reduce((sum, each) => sum + each.calls, 0);
  const models = (role: string) => [
    ...new Set(entries.filter(each => each.role === role).map(({ model }) => model)),
  ];
  return (
    <table>
      <caption class="muted">{t('usageOfRun')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('role')}</th>
          <th scope="col">{t('calls')}</th>
          <th scope="col">{t('tokensShort')}</th>
          <th scope="col">{t('cached')}</th>
          <th scope="col">{t('cost')}</th>
        </tr>
      </thead>
      <tbody>
        {[...usageByRole(entries)].map(([role, usage]) => (
          <tr key={role} title={models(role).join(', ')}>
            <th scope="row">{role}</th>
            <td>{calls(role)}</td>
            <td>{shortCount(tokensOf(usage))}</td>
            <td>{usage.inputTokens > 0 && cachedShare(usage)}</td>
            <td>{costWords(usage.costUsd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
