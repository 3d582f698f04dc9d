/** True if this host, or address as `host:port`, is a loopback address. IPv6 needs brackets before a port. */
export function isLoopback(address: string): boolean {
  return /^(::1|(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?)$/.test(address);
}
