/** The events of a fleet's journal, checked as they are read back: nothing that is written there is believed to have its shape. */
import type { FleetAnswer } from '../../contracts/fleet.ts';
import { isJsonObject } from '../../text/json.ts';
import type { FleetEvent, FleetOptions, HostStatus } from './controller.ts';

const STATUSES: Readonly<Record<HostStatus, true>> = {
  done: true,
  blocked: true,
  failed: true,
  aborted: true,
  unreachable: true,
  lost: true,
  'no answer': true,
  budget: true,
  unknown: true,
  stopped: true,
};

/** The event of a record; undefined where it is none. */
export function fleetEventOf(value: unknown): FleetEvent | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, at, hosts, answer, reason } = value;
  if (typeof at !== 'number') return undefined;
  switch (type) {
    case 'fleetOpened': {
      const options = optionsOf(value);
      return options && { type, at, ...options };
    }
    case 'groupAnswered':
      return isAnswer(answer) && areTexts(hosts) ? { type, at, hosts, answer } : undefined;
    case 'fleetStopped':
      return typeof reason === 'string' ? { type, at, reason } : undefined;
    case 'ticked':
    case 'fleetResumed':
      return { type, at };
    default:
      return hostEventOf(value, at);
  }
}

function hostEventOf(value: Readonly<Record<string, unknown>>, at: number): FleetEvent | undefined {
  const { type, host, question, status, reason } = value;
  if (typeof host !== 'string') return undefined;
  if (type === 'haltGone') return { type, at, host };
  if (type === 'hostHalted') return typeof question === 'string' ? { type, at, host, question } : undefined;
  if (type !== 'hostEnded' || typeof reason !== 'string' || !isStatus(status)) return undefined;
  return { type, at, host, status, reason };
}

function isAnswer(value: unknown): value is FleetAnswer {
  return value === 'proceed' || value === 'skip' || value === 'abort';
}

function optionsOf({
  goal,
  hosts,
  atOnce,
  deadlineMs,
  canary,
  via,
}: Readonly<Record<string, unknown>>): FleetOptions | undefined {
  if (typeof goal !== 'string' || !areTexts(hosts)) return undefined;
  if (typeof atOnce !== 'number' || typeof deadlineMs !== 'number') return undefined;
  // Never by another way than was said.
  if (via !== undefined && via !== 'ansible') return undefined;
  const options = { goal, hosts, atOnce, deadlineMs, ...(via === undefined ? {} : { via: 'ansible' as const }) };
  return typeof canary === 'string' ? { ...options, canary } : options;
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isStatus(value: unknown): value is HostStatus {
  return typeof value === 'string' && value in STATUSES;
}
