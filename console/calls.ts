import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import type { Simplify } from "effect/Types"

/** The groups of a contract. */
export type GroupsOf<Api> =
  Api extends HttpApi.HttpApi<infer _Id, infer Groups, infer _Error, infer _R> ? Groups : never

/** A query is text, so that any of its values may be given as text. */
type Query<UrlParams> = { readonly [Name in keyof UrlParams]: UrlParams[Name] | string }

type Call<Endpoint> =
  Endpoint extends HttpApiEndpoint.HttpApiEndpoint<
    infer _Name,
    infer _Method,
    infer Path,
    infer UrlParams,
    infer Payload,
    infer Headers,
    infer Success,
    infer _Error,
    infer _R,
    infer _RE
  >
    ? (
        request: Simplify<
          HttpApiEndpoint.HttpApiEndpoint.ClientRequest<
            Path,
            [UrlParams] extends [never] ? never : Query<UrlParams>,
            Payload,
            Headers,
            false
          >
        >
      ) => Promise<Success>
    : never

/** Endpoints by group and name, each a method and a path. */
type Endpoints = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The calls of a table of endpoints, by group and name. */
export type Calls<Groups extends HttpApiGroup.HttpApiGroup.Any, Table extends Endpoints> = {
  readonly [Group in keyof Table & string]: {
    readonly [Name in keyof Table[Group] & string]: Call<
      HttpApiEndpoint.HttpApiEndpoint.WithName<HttpApiGroup.HttpApiGroup.EndpointsWithName<Groups, Group>, Name>
    >
  }
}

/** Values of a path and a query, and a body of JSON. */
interface Given {
  readonly path?: Readonly<Record<string, unknown>>
  readonly urlParams?: Readonly<Record<string, unknown>>
  readonly payload?: unknown
}

/** The query's text; undefined values are left out, lists name their parameter several times. */
const queryOf = (values: Readonly<Record<string, unknown>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) query.append(name, String(one))
  }
  const text = query.toString()
  return text === "" ? "" : `?${text}`
}

/**
 * Makes the calls of a table. Answers are taken as they come: they are the gateway's own, which holds to its contract.
 *
 * @param send fails unless the answer is a success
 */
export const callsOf = <Groups extends HttpApiGroup.HttpApiGroup.Any, Table extends Endpoints>(
  table: Table,
  send: (path: string, init: RequestInit) => Promise<Response>
): Calls<Groups, Table> => {
  const call =
    (line: string) =>
    async ({ path = {}, payload, urlParams = {} }: Given = {}): Promise<unknown> => {
      const [method = "", template = ""] = line.split(" ")
      const at = template.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(path[name])))
      const init = payload === undefined ? { method } : jsonBody(payload, method)
      return (await send(at + queryOf(urlParams), init)).json()
    }
  // Untyped, as an answer's JSON is: `test/console/endpoints.test.ts` compares the table with the contract.
  const groups: ReadonlyArray<ReadonlyArray<unknown>> = Object.entries(table).map(([group, lines]) => [
    group,
    Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, call(line)]))
  ])
  const calls: Calls<Groups, Table> = Object.fromEntries(groups)
  return calls
}

/** A request with a body of JSON. */
export const jsonBody = (body: unknown, method = "POST"): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})
