/** The broker: the client of the model servers. */
export type { BrokerOptions } from './broker.ts';
export { createBroker, fallbacksOf, presetInfo } from './broker.ts';
export { DEMO_PRESET } from './demo.ts';
export { discover } from './discover.ts';
export { type Capabilities, type Preset, secretsPolicy } from './preset.ts';
export { probeServer, silenceOf } from './probe.ts';
export { type Found, isAddress, isSameServer, lookAtAddress } from './server-at.ts';
export { estimateTokens } from './tokens/count.ts';
export { loadClient } from './transport.ts';
