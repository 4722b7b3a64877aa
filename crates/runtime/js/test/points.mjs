// Development only: the one-line conformance points of points.json. `T` answers the name of what a function throws, `R`
// the name of what a promise rejects with; the value of a point is `String(expression)`.
//   node --experimental-vm-modules points.mjs [NUMBER]
import { readFileSync } from 'node:fs';
import { createRealm } from './harness.mjs';

const points = JSON.parse(readFileSync(new URL('points.json', import.meta.url), 'utf8'));
const only = process.argv[2] === undefined ? undefined : Number(process.argv[2]);
const DEADLINE_MS = 2000;
let failed = 0;
for (const [index, { area, expression, value }] of points.entries()) {
  if (only !== undefined && only !== index) continue;
  const realm = await createRealm();
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (reason, promise) => realm.notifyUnhandledRejection(promise, reason));
  const late = new Promise((resolve) => setTimeout(resolve, DEADLINE_MS, 'no answer'));
  const answer = realm.run(`(async () => {
    const T = (f) => { try { f(); return 'no throw' } catch (e) { return e.name } };
    const R = (p) => Promise.resolve(p).then(() => 'ok', (e) => e.name);
    return String(${expression});
  })()`);
  const got = await Promise.race([answer, late]).catch((error) => `threw ${error}`);
  if (got !== value) {
    failed++;
    console.log(`${index} ${area}: ${expression}\n  expected ${value}\n  got      ${got}`);
  }
  realm.dispose();
}
console.log(`${points.length - failed} of ${points.length}`);
process.exit(failed === 0 ? 0 : 1);
