/** What stands twice at the beginning of a path: a client adds it to a base URL that has it already. */
export const doubled = (path: string): string | undefined =>
  prefixes.find((prefix) => path.startsWith(`${prefix}${prefix}/`))

const prefixes = ["/v1", "/api/v3"]
