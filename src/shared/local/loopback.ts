/** Is this address, `host:port`, one of this machine's own? */
export function isLoopback(address: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(address);
}
