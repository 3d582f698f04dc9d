/** Draws the timeline of a run: turns, tools, waits and sub-agents as bars on a time axis. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { formatClock } from 'steersman/base';
import { Earlier } from '../../parts/earlier.js';
import { durationWords, now } from '../../parts/time.js';
import type { RunModel } from '../../run-model.js';
import { named, said, t } from '../../words/words.js';
import { positionAt, type Span, spansOf, ticksIn } from './axis.js';
import { type Bar, barBeside, type Lane, type Timeline, timelineOf } from './bars.js';

const ROW = 22;
const LANE_HEAD = 20;
const AXIS = 24;
const TICK_EVERY = 90;
const MOST_ZOOM = 64;
/** Shorter bars are widened to this width, so that they are visible. */
const LEAST_WIDTH = 3;
/** Width of a label's character. */
const CHAR = 6.6;

export function TimelineView({ run }: { run: RunModel }) {
  void run.version.value;
  return run.events.length === 0 ? <p class="muted">{t('loading')}</p> : <Drawn run={run} />;
}

function Drawn({ run }: { run: RunModel }) {
  void run.version.value;
  const zoom = useSignal(1);
  const chosen = useSignal<Bar | null>(null);
  const shorten = useSignal(true);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const isOpen = !run.ended && run.snapshot?.endedAt === null;
  const end = isOpen ? now.value : null;
  const timeline = useMemo(() => timelineOf(run.events, end), [run.events.length, end, run.from]);
  const spans = useMemo(() => spansOf(timeline, shorten.value), [timeline, shorten.value]);
  /** Arrow keys go from bar to bar, in the order of their beginning. */
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    chosen.value = barBeside(timeline, chosen.value, by);
  };
  return (
    <section class="panel timeline" aria-label={t('timeline')}>
      <header>
        <Legend />
        <span class="spacer" />
        <Zoom zoom={zoom} shorten={shorten} />
      </header>
      <Earlier run={run} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the status below tells the chosen bar. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard. */}
      <div class="scroll" ref={box} tabIndex={0} onKeyDown={onKeyDown}>
        {width > 0 && <Axis timeline={timeline} spans={spans} width={width * zoom.value} chosen={chosen} />}
      </div>
      <p class="chosen" role="status">
        {chosen.value ? <Chosen bar={chosen.value} from={timeline.from} end={timeline.to} /> : t('chooseBar')}
      </p>
    </section>
  );
}

function Zoom({ zoom, shorten }: { zoom: Signal<number>; shorten: Signal<boolean> }) {
  const step = (factor: number) => {
    zoom.value = Math.min(MOST_ZOOM, Math.max(1, zoom.value * factor));
  };
  return (
    <>
      <button
        type="button"
        class="small"
        aria-pressed={shorten.value}
        onClick={() => (shorten.value = !shorten.value)}
      >
        {t('shortenWaits')}
      </button>
      <button
        type="button"
        class="small"
        aria-label={t('zoomOut')}
        disabled={zoom.value <= 1}
        onClick={() => step(0.5)}
      >
        −
      </button>
      <button
        type="button"
        class="small"
        aria-label={t('zoomIn')}
        disabled={zoom.value >= MOST_ZOOM}
        onClick={() => step(2)}
      >
        +
      </button>
      <button type="button" class="small" onClick={() => (zoom.value = 1)}>
        {t('zoomFit')}
      </button>
    </>
  );
}

function useWidth(box: { current: HTMLDivElement | null }): number {
  const width = useSignal(0);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = () => {
      width.value = element.clientWidth;
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return width.value;
}

const LEGEND = ['turn', 'tool', 'agent', 'wait'] as const;

function Legend() {
  return (
    <ul class="legend">
      {LEGEND.map(kind => (
        <li key={kind} class={`key-${kind}`}>
          {t(`bar_${kind}`)}
        </li>
      ))}
    </ul>
  );
}

interface AxisProps {
  timeline: Timeline;
  spans: readonly Span[];
  width: number;
  chosen: { value: Bar | null };
}

function Axis({ timeline, spans, width, chosen }: AxisProps) {
  const { from, to, lanes, marks } = timeline;
  const span = to - from;
  const x = (at: number) => Math.round(positionAt(spans, at) * (width - 8) * 10) / 10 + 4;
  const heights = lanes.map(heightOf);
  const height = AXIS + heights.reduce((sum, each) => sum + each, 0);
  const tops = heights.map((_, at) => AXIS + heights.slice(0, at).reduce((sum, each) => sum + each, 0));
  const names = t('timelineText', { time: durationWords(span), lanes: lanes.length });
  return (
    <svg width={width} height={height} role="img" aria-label={names}>
      {spans
        .filter(each => each.shown < each.to - each.from)
        .map(each => (
          <rect
            key={each.from}
            class="cut"
            x={x(each.from)}
            width={x(each.to) - x(each.from)}
            y={AXIS - 6}
            height={height}
          >
            <title>{durationWords(each.to - each.from)}</title>
          </rect>
        ))}
      {ticksIn(spans, Math.max(2, Math.floor(width / TICK_EVERY))).map(at => (
        <g key={at} class="tick">
          <line x1={x(at)} x2={x(at)} y1={AXIS - 6} y2={height} />
          {x(at) < width - 36 && (
            <text x={x(at) + 3} y={12}>
              {formatClock(at - from)}
            </text>
          )}
        </g>
      ))}
      {marks.map(({ kind, at, text }) => (
        <g key={`${kind} ${at}`} class={`mark ${kind}`}>
          <line x1={x(at)} x2={x(at)} y1={AXIS - 6} y2={height} />
          <path d={`M${x(at) - 4} ${AXIS - 8}h8l-4 6z`}>
            <title>{text}</title>
          </path>
        </g>
      ))}
      {lanes.map((lane, at) => (
        <LaneView key={lane.path} lane={lane} top={tops[at] ?? 0} x={x} end={to} chosen={chosen} />
      ))}
    </svg>
  );
}

function heightOf({ rows }: Lane): number {
  return LANE_HEAD + rows.length * ROW + 6;
}

interface LaneProps {
  lane: Lane;
  top: number;
  x: (at: number) => number;
  end: number;
  chosen: { value: Bar | null };
}

function LaneView({ lane: { path, rows }, top, x, end, chosen }: LaneProps) {
  return (
    <g>
      <text class="lane-name" x={8} y={top + 14}>
        {path || t('theRun')}
      </text>
      {rows.map((row, at) =>
        row.bars.map(bar => (
          <BarView
            key={`${bar.from} ${bar.name}`}
            bar={bar}
            y={top + LANE_HEAD + at * ROW}
            left={x(bar.from)}
            right={x(bar.to ?? end)}
            chosen={chosen}
          />
        )),
      )}
    </g>
  );
}

interface BarProps {
  bar: Bar;
  y: number;
  left: number;
  right: number;
  chosen: { value: Bar | null };
}

function BarView({ bar, y, left, right, chosen }: BarProps) {
  const width = Math.max(LEAST_WIDTH, right - left);
  const chars = Math.floor((width - 8) / CHAR);
  const name = nameOf(bar);
  const look = `bar ${bar.kind}${bar.isBad ? ' bad' : ''}${bar.to === null ? ' open' : ''}${chosen.value === bar ? ' chosen' : ''}`;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what a bar says is in its title and in the conversation, too.
    <g class={look} onClick={() => (chosen.value = bar)} onMouseEnter={() => (chosen.value = bar)}>
      <rect x={left} y={y} width={width} height={ROW - 4} rx={3} />
      {chars >= 3 && (
        <text x={left + 5} y={y + 13}>
          {name.length > chars ? `${name.slice(0, chars - 1)}…` : name}
        </text>
      )}
      <title>{`${name} · ${said(bar.detail).slice(0, 200)}`}</title>
    </g>
  );
}

/** A wait has the kind of its gate as its name. */
function nameOf({ kind, name }: Bar): string {
  return kind === 'wait' ? named('gate', name) : kind === 'pause' ? t('bar_pause') : name;
}

function Chosen({ bar, from, end }: { bar: Bar; from: number; end: number }) {
  return (
    <>
      <strong>{nameOf(bar)}</strong> {formatClock(bar.from - from)} ·{' '}
      {durationWords((bar.to ?? end) - bar.from)}
      {bar.isBad && <span class="bad-text"> {t('wentWrong')}</span>}{' '}
      <span class="muted">{said(bar.detail).slice(0, 300)}</span>
    </>
  );
}
