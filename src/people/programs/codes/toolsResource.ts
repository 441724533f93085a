/** The address that tokens of sign-ins by a code are for: that of all servers' tools. */
export const toolsResource = (publicUrl: string): string => `${publicUrl}/mcp`

/** True for that address, and for those of single servers, whose tokens are the same. */
export const isOwnResource = (resource: string, publicUrl: string): boolean => {
  const url = URL.parse(resource)?.href.replace(/\/$/, "") ?? ""
  const own = new URL(toolsResource(publicUrl)).href
  return url === own || (url.startsWith(`${own}/`) && /^[a-z0-9_-]+$/.test(url.slice(own.length + 1)))
}
