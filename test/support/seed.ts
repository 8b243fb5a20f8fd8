/**
 * Every run of the tests tries the same random cases, so that a failure comes from the change; AISH_SEED tries others.
 */
import fc from 'fast-check';

export const SEED = Number(process.env.AISH_SEED ?? 20_261_121);

fc.configureGlobal({ seed: SEED });
