import { videoServiceNames, videoServices } from "../upstreams/fakes/videoServices.ts"
import type { ServiceVideo, VideoServiceName } from "../upstreams/fakes/videoServices.ts"

interface Weather {
  /** True as often as this share of all times. */
  readonly happens: (share: number) => boolean
  /** Where links to files lead, if the files are to be had. */
  readonly media?: string
}

/**
 * Every video service behind one server, at `/<name>/…`. Videos move on by themselves, one in twenty fails, and so do calls
 * now and then.
 */
export const videoOutside = ({ happens, media }: Weather) => {
  const services = videoServices({ measures: true, ...(media !== undefined && { media }) })
  const begun = new Map<string, { readonly atMs: number; readonly renderMs: number; readonly fails: boolean }>()
  let polls = 0

  /** A third of the time it waits, then it renders, however late this process wakes. */
  const moveOn = () => {
    for (const name of videoServiceNames) {
      const { fail, finish, run, videos } = services[name]
      for (const { id, state } of videos()) {
        if (state === "ended") continue
        const its = begun.get(id) ?? {
          atMs: Date.now(),
          renderMs: 200 + Math.random() * 2_000,
          fails: happens(0.05)
        }
        begun.set(id, its)
        const age = Date.now() - its.atMs
        if (state === "queued" && age > its.renderMs / 3) run(id)
        else if (state === "running" && age > its.renderMs) (its.fails ? fail : finish)(id)
      }
    }
  }
  setInterval(moveOn, 20)

  const error = (status: number, code: string, headers: Record<string, string> = {}) =>
    Response.json({ error: { code, message: code } }, { status, headers })

  /** Passes a call on to its service. */
  const answer = async (request: Request, name: VideoServiceName, path: string): Promise<Response> => {
    const { method } = request
    const isPoll = method === "GET" || path.endsWith(":fetchPredictOperation")
    if (isPoll) polls++
    if (!isPoll && method === "POST" && happens(0.02))
      return error(429, "RateLimitExceeded.RPM", { "retry-after": "0" })
    if (isPoll && happens(0.02)) return error(502, "Overloaded")
    const headers = new Headers(request.headers)
    headers.delete("host")
    const body = await request.bytes()
    const reply = await fetch(`${services[name].origin}${path}`, { method, headers, ...(body.length > 0 && { body }) })
    const bytes = await reply.bytes()
    // The video is made; the answer takes its time.
    if (!isPoll && method === "POST") await Bun.sleep(Math.random() * 40)
    const type = reply.headers.get("content-type") ?? "application/json"
    return new Response(bytes, { status: reply.status, headers: { "content-type": type } })
  }

  const all = (): ReadonlyArray<ServiceVideo> => videoServiceNames.flatMap((name) => services[name].videos())

  return {
    /** The answer of a service, if the path is one's. */
    serve: (request: Request, path: string): Promise<Response> | undefined => {
      const name = videoServiceNames.find((one) => path.startsWith(`/${one}/`))
      return name === undefined ? undefined : answer(request, name, path.slice(name.length + 1))
    },
    submits: () => all().map(({ body, id }) => ({ prompt: promptOf(body), id })),
    cancelled: () => all().flatMap(({ id, isCancelled }) => (isCancelled ? [id] : [])),
    polls: () => polls
  }
}

/** What a task's clients called it. */
const promptOf = (body: unknown): string => /a cat [\w-]+/.exec(JSON.stringify(body))?.[0] ?? ""
