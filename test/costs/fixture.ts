/** A program that counts calls in a ledger while others do the same: `fixture.ts PATH SESSION CALLS`. */
import { openLedger } from '../../src/costs/index.ts';

const [, , path = '', session = '', calls = ''] = process.argv;
const ledger = openLedger(path, (why) => {
  throw new Error(why);
});
for (let n = 0; n < Number(calls); n += 1) {
  const tokens = { promptTokens: n, completionTokens: 1, dollars: 0.001 };
  ledger.add(session, Date.now(), { preset: 'p', model: 'm', category: 'chat', local: false, ...tokens });
}
ledger.close();
