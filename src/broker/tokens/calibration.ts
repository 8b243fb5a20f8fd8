/** What servers' own counts teach about the library's, whose vocabulary is seldom theirs. */
import { eachInTurns } from '../../text/turns.ts';

/**
 * Where vocabularies differ most: characters outside ASCII (one token for several, or several for one), and digits
 * (three to a token, or each alone). What they may cost beyond the library's count, per character.
 */
export type Features = { readonly wide: number; readonly digits: number };

/** Assumed until a server has counted, and the most that is believed. */
const ASSUMED = { wide: 1.5, digits: 1 } as const;
const MAX_RATES = { wide: 2.5, digits: 1 } as const;
/** How many of the last counts have a say: the content of a conversation changes slowly. */
const MAX_REMEMBERED = 4;
/** A kind of text with a smaller share of the request than this is not calibrated from it. */
const MIN_TELLING_SHARE = 0.05;
/** A server that counts less than this share of what we count counts something else (what was not in its cache, …). */
const MIN_RATIO = 0.5;
const MAX_RATIO = 2;

type Known = { ratios: readonly number[]; wide: readonly number[]; digits: readonly number[] };

export function featuresOf(text: string): Features {
  let wide = 0;
  for (const [run] of text.matchAll(/[^\0-\x7f]+/g)) wide += run.length;
  let digits = 0;
  for (const [run] of text.matchAll(/\d{2,}/g)) digits += run.length - Math.ceil(run.length / 3);
  return { wide, digits };
}

/** Those of several texts, without keeping a key waiting for them. */
export async function featuresOfAll(texts: readonly string[]): Promise<readonly Features[]> {
  const all = texts.map(() => ({ wide: 0, digits: 0 }));
  await eachInTurns(texts, (piece, index) => {
    const { wide, digits } = featuresOf(piece);
    const before = all[index] ?? { wide: 0, digits: 0 };
    all[index] = { wide: before.wide + wide, digits: before.digits + digits };
  });
  return all;
}

/** Ratios and surcharges by preset and counter. Nothing learned makes a count smaller than the library's own. */
export function createCalibration() {
  const known = new Map<string, Known>();
  const of = (key: string): Known => known.get(key) ?? { ratios: [], wide: [], digits: [] };
  const rateOf = (key: string, feature: keyof Features): number => {
    const seen = of(key)[feature];
    return seen.length === 0 ? ASSUMED[feature] : Math.max(...seen);
  };
  const factor = (key: string): number => Math.max(1, ...of(key).ratios);
  const surcharge = (key: string, { wide, digits }: Features): number =>
    wide * rateOf(key, 'wide') + digits * rateOf(key, 'digits');

  return {
    /** What is added to the library's count of a text with these features. */
    surcharge,
    /** What counts are multiplied with. */
    factor,
    known: (key: string): boolean => of(key).ratios.length > 0,
    /** @param ours what was counted for a request, surcharges in it @param theirs what the server says it read */
    learn(key: string, ours: number, features: Features, theirs: number): void {
      const extra = surcharge(key, features);
      const base = Math.max(1, ours - extra);
      if (theirs < base * MIN_RATIO) return;
      const { ratios, ...seen } = of(key);
      let predicted = base + extra;
      if (extra > base * MIN_TELLING_SHARE) {
        // All that the server counted beyond the rest is put down to the larger of the two: rather too much than too
        // little.
        const shares = { wide: features.wide * rateOf(key, 'wide'), digits: features.digits * rateOf(key, 'digits') };
        const feature = shares.wide > shares.digits ? 'wide' : 'digits';
        const rate = (theirs / factor(key) - base) / features[feature];
        const believed = Math.max(0, Math.min(MAX_RATES[feature], rate));
        seen[feature] = [...seen[feature], believed].slice(-MAX_REMEMBERED);
        predicted = base + extra - shares[feature] + believed * features[feature];
      }
      const ratio = Math.min(MAX_RATIO, theirs / predicted);
      known.set(key, { ...seen, ratios: [...ratios, ratio].slice(-MAX_REMEMBERED) });
    },
  };
}
