import type { Route } from "./compile.ts"

/** The path of a URL as Bun gives it; `new URL` would throw on a hostile `Host`. */
export const pathOf = ({ url }: Request): string => {
  // After a `Host` that is none, Bun leaves the path alone.
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3)
  if (start === -1) return "/"
  const query = url.indexOf("?", start)
  return query === -1 ? url.slice(start) : url.slice(start, query)
}

/** The query's parameters: of one that may be repeated all, of any other the first. */
export const queryOf = ({ url }: Request, route: Route): Record<string, string | ReadonlyArray<string>> => {
  const start = url.indexOf("?")
  const query: Record<string, string | ReadonlyArray<string>> = {}
  if (start === -1) return query
  const params = new URLSearchParams(url.slice(start + 1))
  for (const [name, value] of params) {
    if (!route.isArrayParam(name)) query[name] ??= value
    else query[name] ??= params.getAll(name)
  }
  return query
}
