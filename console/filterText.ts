import type { App } from "./app.ts"
import { withQuery } from "./router.ts"

/** The filters in words: `model:claude-* outcome:failed`. */
export const filterText = (query: URLSearchParams, names: ReadonlyArray<string>): string =>
  [query.get("q") ?? "", ...names.flatMap((name) => (query.has(name) ? [`${name}:${query.get(name) ?? ""}`] : []))]
    .filter((part) => part !== "")
    .join(" ")

export const clearFilters = (app: App): void =>
  app.go(withQuery(app.route(), Object.fromEntries([...app.route().query.keys()].map((name) => [name, ""]))))
