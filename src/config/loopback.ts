/** True for an http(s) address of this machine alone. */
export const isLoopback = (url: string): boolean => {
  const { hostname = "", protocol = "" } = URL.parse(url) ?? {}
  return /^https?:$/.test(protocol) && /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}
