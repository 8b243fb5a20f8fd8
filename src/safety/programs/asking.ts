import { hasUnknown } from '../shell/taint.ts';
import { harmless, type StaticVerdict, unknown } from '../verdict.ts';
import type { CallFacts } from './record.ts';

/** An address of this machine, of its own network, or of the service that tells a cloud machine its keys. */
const NEAR_HOST =
  /^(localhost|kubernetes|.*\.(localhost|local|internal|lan|home|corp|svc|consul|cluster|nip\.io|sslip\.io|xip\.io|lvh\.me|localtest\.me)|kubernetes\.default.*|0+|127\.[\d.]+|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(1[6-9]|2\d|3[01])\.\d+\.\d+|169\.254\.[\d.]+|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d+\.\d+|0\.0\.0\.0|\d+|0x[\da-f.x]+|0\d[\d.]*|host\.docker\.internal|metadata(\.google)?|\[.*\])$/i;
/** What services answer everywhere to say how they are. */
const LOOKS =
  /^\/?$|^\/(health(z|check)?|status|ready(z)?|live(z|ness)?|readiness|ping|version|metrics|favicon\.ico|robots\.txt|index\.html?)\/?$/i;

/** A part of an address that says to take something away or to do it: a server should not obey it, and many do. */
const CHANGES =
  /[/?&=.](delete|remove|destroy|purge|drop|wipe|erase|reset|revoke|unsubscribe|shutdown|reboot|logout|disable|terminate)([/?&=]|$)/i;

/**
 * The verdict on asking another machine: what stands in the question leaves, and a service nearby may take an address for
 * an order.
 */
export function judgeQuestion(program: string, what: string, text: string): StaticVerdict {
  if (hasUnknown(text)) return unknown(`${what}: sends parts that are not known`);
  if (!/^(curl|wget|http|https|xh|aria2c|yt-dlp|youtube-dl)$/.test(program)) return harmless();
  return judgeAddress(text);
}

/** The verdict on the words of a call that reaches another machine: none of them may carry what is not known. */
export function judgeReach(
  { program, facts, args }: Pick<CallFacts, 'program' | 'facts' | 'args'>,
  path: readonly string[],
): StaticVerdict {
  const { reaches } = facts;
  if (reaches !== true && !reaches.has(path[0] ?? '')) return harmless();
  return args.some(({ text }) => hasUnknown(text)) ? unknown(`${program}: sends parts that are not known`) : harmless();
}

/** The verdict on fetching an address. */
function judgeAddress(address: string): StaticVerdict {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase();
  if (scheme !== undefined && !/^(https?|ftps?|file)$/.test(scheme))
    return unknown(`an address of ${scheme} may be an order to a service`);
  const rest = scheme === undefined ? address : address.slice(scheme.length + 3);
  const [authority = ''] = rest.split(/[/?#]/, 1);
  const host = authority.replace(/^.*@/, '').replace(/:\d*$/, '');
  const path = rest.slice(authority.length);
  // Curl makes several addresses of one in braces.
  const near = /[{}[\]]/.test(host) ? /\[|local|127|\b10\b|192|169/.test(host) : NEAR_HOST.test(host);
  // Without a dot and with a port it is a service beside this one.
  const beside = /^[^.@]*:\d+$/.test(authority) && host !== '';
  if (CHANGES.test(path)) return unknown('asks for an address whose words may be an order');
  if (!near && !beside && host !== '') return harmless();
  return LOOKS.test(path)
    ? harmless()
    : unknown('asks a service of this machine or network, which may take it as an order');
}
