/** Every run of the tests tries the same random cases, so that a failure is the change's; AISH_SEED tries others. */
import fc from 'fast-check';

export const SEED = Number(process.env.AISH_SEED ?? 20_261_121);

fc.configureGlobal({ seed: SEED });
