import { fileURLToPath } from 'node:url';

/** The kernel sandbox's launcher, beside the bundle. */
export const LAUNCHER = fileURLToPath(new URL('./aish-sandbox', import.meta.url));
