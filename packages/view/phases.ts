/** Names of a run's phases for people, in the languages of the user interfaces. */
import type { Phase, RunSnapshot } from 'steersman/client';

type Shown = Phase | NonNullable<RunSnapshot['phase']> | 'starting' | 'running' | 'unknown';

const EN: Readonly<Record<Shown, string>> = {
  loading: 'loading',
  starting: 'starting',
  choosing: 'choosing a mode',
  planning: 'planning',
  execution: 'execution',
  checking: 'checking',
  verification: 'verification',
  answering: 'answering',
  wrap_up: 'wrap-up',
  steering: 'taking in a message',
  consultation: 'asking another role',
  paused: 'paused',
  waiting: 'waiting for a person',
  idle: 'answered, open',
  ended: 'ended',
  running: 'running',
  unknown: 'unknown',
};

const ZH: typeof EN = {
  loading: '加载中',
  starting: '启动中',
  choosing: '选择模式',
  planning: '规划',
  execution: '执行',
  checking: '检查',
  verification: '验证',
  answering: '回答',
  wrap_up: '收尾',
  steering: '理解消息',
  consultation: '咨询其他角色',
  paused: '已暂停',
  waiting: '等待人工',
  idle: '已回答，开放中',
  ended: '已结束',
  running: '运行中',
  unknown: '未知',
};

/** Returns the English name for any language but Chinese; an unknown phase, of another version, is returned with blanks. */
export function phaseName(phase: string, language: string | null): string {
  const names: Readonly<Partial<Record<string, string>>> = language === 'zh' ? ZH : EN;
  return names[phase] ?? phase.replaceAll('_', ' ');
}
