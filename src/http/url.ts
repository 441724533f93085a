import type { Route } from "./compile.ts"

/** The query's parameters: all values of repeatable ones, the first value of others. */
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
