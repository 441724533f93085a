import { answerTo } from "./answers.ts"
import { askOf, refusalOf, refuse } from "./refusals.ts"
import type { Ask, Place, Refusal } from "./rule.ts"
import { cannedFor, knowsOf } from "./said.ts"
import type { Call, Said } from "./said.ts"

export type Options = {
  readonly port?: number
  readonly place?: Place
  readonly upstream?: string
  readonly without?: ReadonlyArray<string>
  readonly calls?: ReadonlyArray<Call>
  /** The model: what it says to a request that the place takes, or refuses for reasons of its own; a canned answer without it. */
  readonly play?: (ask: Ask) => Said | Refusal
  readonly log?: (line: string) => void
}
type Seen = {
  readonly place: string
  readonly path: string
  readonly model: string
  readonly status: number
  readonly rules: ReadonlyArray<string>
  readonly says?: string
  readonly betas: ReadonlyArray<string>
  readonly fields: ReadonlyArray<string>
}

/** Starts the strict place. `seen` has what was asked, `counts` how often each place took or refused, and by which rule. */
export const startStrict = (options: Options = {}) => {
  const seen: Array<Seen> = []
  const without = new Set(options.without)
  const counts = () => {
    const byPlace: Record<string, { taken: number; refused: number; rules: Record<string, number> }> = {}
    for (const { place, rules: broken } of seen) {
      const one = (byPlace[place] ??= { taken: 0, refused: 0, rules: {} })
      if (broken.length === 0) one.taken++
      else one.refused++
      for (const id of broken) one.rules[id] = (one.rules[id] ?? 0) + 1
    }
    return byPlace
  }
  const server = Bun.serve({
    port: options.port ?? 0,
    hostname: "127.0.0.1",
    idleTimeout: 120,
    maxRequestBodySize: 64 * 1024 * 1024,
    fetch: async (request) => {
      const url = new URL(request.url)
      if (url.pathname === "/_strict") {
        if (request.method === "DELETE") seen.length = 0
        return Response.json({ counts: counts(), seen })
      }
      const raw = await request.text()
      const headers = Object.fromEntries(request.headers)
      if (request.method === "GET") return Response.json({ object: "list", data: [], models: [] })
      const ask = askOf(url, headers, raw, options.place)
      if (ask === undefined)
        return Response.json(
          { error: { message: `strict: no place for ${url.pathname}, or a body that is not JSON` } },
          { status: 404 }
        )
      const refused = refusalOf(options.upstream === undefined ? { ...ask, knows: knowsOf(ask.place) } : ask, without)
      const entry: Seen = {
        place: ask.place,
        path: ask.path,
        model: ask.model,
        status: refused?.status ?? 200,
        rules: refused?.all.map(({ rule }) => rule.id) ?? [],
        ...(refused !== undefined && { says: refused.all.map(({ says }) => says).join(" | ") }),
        betas: ask.betas,
        fields: Object.keys(ask.body ?? {})
      }
      seen.push(entry)
      options.log?.(
        `${refused === undefined ? "taken  " : "refused"} ${ask.place} ${ask.model}${ask.stream ? " stream" : ""}${refused === undefined ? "" : ` [${entry.rules.join(", ")}] ${entry.says}`}`
      )
      if (refused !== undefined) return refuse(ask, refused.first)
      if (options.upstream !== undefined)
        return fetch(`${options.upstream}${url.pathname}${url.search}`, {
          method: request.method,
          headers: request.headers,
          body: raw
        })
      const said = options.play?.(ask) ?? cannedFor(ask, options.calls ?? [])
      return "says" in said ? refuse(ask, said) : answerTo(ask, said)
    }
  })
  return { url: `http://127.0.0.1:${server.port}`, seen, counts, stop: () => server.stop(true) }
}
