/** One request and its answer, as they went over the wire. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly status: number
  readonly answerHeaders: Readonly<Record<string, string>>
  readonly answer: string
}

export interface Recorder {
  /** What the agent has asked, without what browsers did. */
  readonly exchanges: () => ReadonlyArray<Exchange>
  readonly stop: () => Promise<void>
}

const ofAgent = /^(?:claude-|OTel-)/

/** A proxy that remembers what an agent asks and is answered. */
export const startRecorder = (port: number, target: string): Recorder => {
  const exchanges: Array<Exchange> = []
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    development: false,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      const path = pathname + search
      const body = await request.text()
      const headers = new Headers(request.headers)
      headers.delete("accept-encoding")
      const answered = await fetch(target + path, {
        method: request.method,
        headers,
        redirect: "manual",
        ...(body === "" ? {} : { body })
      })
      const answer = await answered.text()
      const { status } = answered
      if (ofAgent.test(headers.get("user-agent") ?? "")) {
        exchanges.push({
          method: request.method,
          path,
          headers: Object.fromEntries(request.headers),
          body,
          status,
          answerHeaders: Object.fromEntries(answered.headers),
          answer
        })
      }
      const passed = new Headers(answered.headers)
      for (const name of ["content-encoding", "content-length", "transfer-encoding"]) passed.delete(name)
      return new Response(status === 204 || status === 304 ? null : answer, { status, headers: passed })
    }
  })
  return { exchanges: () => exchanges, stop: () => server.stop(true) }
}
