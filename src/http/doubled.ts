/** A path's doubled prefix: the client adds it to a base URL that already has it. */
export const doubled = (path: string): string | undefined =>
  prefixes.find((prefix) => path.startsWith(`${prefix}${prefix}/`))

const prefixes = ["/v1", "/api/v3"]
