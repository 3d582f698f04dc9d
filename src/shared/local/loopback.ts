/** True if this address, `host:port`, is a loopback address. */
export function isLoopback(address: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(address);
}
