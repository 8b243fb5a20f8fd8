/**
 * Returns the SHA-256 in hexadecimal digits. Node's crypto is loaded with the first call: it costs milliseconds, and
 * most starts need none.
 */
export function sha256(data: string | NodeJS.ArrayBufferView): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(data).digest('hex');
}
