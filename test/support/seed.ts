/** Every run of the suite tries the same random cases, so that a change is judged by itself; AISH_SEED tries others. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.AISH_SEED ?? 20_261_121) });
