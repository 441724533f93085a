import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { Predicate } from "effect"

/** A method of a client's resources, and the first request that it sends; none for methods that work without a server. */
export interface Method {
  /** "chat.completions" */
  readonly resource: string
  readonly name: string
  readonly request?: { readonly method: string; readonly path: string }
}

/** Every id that a method asks for. */
const anId = "id1"
/** A method's parameters: ids where it looks for ids. */
const parameters = new Proxy<Record<string, unknown>>(
  { model: "model", messages: [], input: [], tools: [], files: [], query: "query" },
  {
    get: (known, name) => (Predicate.isString(name) && /_id$|^id$|_name$/.test(name) ? anId : Reflect.get(known, name))
  }
)
/** Ways to call a method; the first that sends a request counts. */
const tries: ReadonlyArray<ReadonlyArray<unknown>> = [
  [anId, parameters],
  [parameters],
  [anId],
  [],
  [anId, anId],
  [anId, anId, parameters]
]

type Send = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

/** Methods of every resource of a client, found on its prototypes. */
const methodsOf = async (makeClient: (send: Send) => object): Promise<ReadonlyArray<Method>> => {
  let sent: (request: Method["request"]) => void = () => undefined
  const client = makeClient((url, init) => {
    const at = new URL(url instanceof Request ? url.url : url)
    // A client for forms tries first whether the `fetch` that it was given knows them.
    if (at.protocol === "data:") return Promise.resolve(new Response())
    sent({ method: init?.method ?? "GET", path: at.pathname })
    return Promise.reject(new Error("nothing is sent"))
  })
  const requestOf = (call: () => unknown): Promise<Method["request"]> =>
    new Promise((resolve) => {
      sent = resolve
      const ended = () => resolve(undefined)
      try {
        const outcome = call()
        // A stream tells its end as an event; everything else is a promise, and ends after its request was sent.
        if (Predicate.isObject(outcome) && "on" in outcome && Predicate.isFunction(outcome.on))
          outcome.on("error", ended)
        else void Promise.resolve(outcome).then(ended, ended)
      } catch {
        ended()
      }
    })
  const found: Array<Method> = []
  const visit = async (resource: string, one: object): Promise<void> => {
    const prototype: object = Reflect.getPrototypeOf(one) ?? {}
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const method: unknown = Reflect.get(one, name)
      if (name === "constructor" || name.startsWith("_") || !Predicate.isFunction(method)) continue
      let request: Method["request"]
      for (const given of tries) request ??= await requestOf(() => Reflect.apply(method, one, given))
      found.push({ resource, name, ...(request && { request }) })
    }
    await below(`${resource}.`, one)
  }
  const below = async (before: string, one: object) => {
    for (const [name, child] of Object.entries(one)) {
      const isResource = Predicate.isObject(child) && Reflect.get(child, "_client") === client
      if (isResource && !name.startsWith("_")) await visit(before + name, child)
    }
  }
  await below("", client)
  return found
}

/** Methods of the newest official clients for JavaScript. */
export const officialMethods = {
  openai: () =>
    methodsOf(
      (fetch) =>
        new OpenAI({
          apiKey: "key",
          adminAPIKey: "key",
          baseURL: "http://gateway/v1",
          maxRetries: 0,
          fetch,
          timeout: 1_000
        })
    ),
  "@anthropic-ai/sdk": () =>
    methodsOf(
      (fetch) => new Anthropic({ apiKey: "key", baseURL: "http://gateway", maxRetries: 0, fetch, timeout: 1_000 })
    )
} as const
