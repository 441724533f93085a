interface Event {
  readonly event: string
  readonly data: unknown
}

interface Row extends Record<string, unknown> {
  readonly request_id: string
}

/** A stream of events, read by a program: answers once nothing is missed any more. */
export const watch = async (url: string, path: string, headers: Readonly<Record<string, string>>) => {
  const leaving = new AbortController()
  const answer = await fetch(url + path, { headers, signal: leaving.signal })
  if (answer.status !== 200 || answer.body === null) throw new Error(`${path}: ${answer.status}`)
  const events: Array<Event> = []
  const ready = Promise.withResolvers<void>()
  const gather = async (body: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    let text = ""
    for await (const chunk of body) {
      const frames = (text + decoder.decode(chunk, { stream: true })).split("\n\n")
      text = frames.pop() ?? ""
      for (const frame of frames) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? []
        if (event === undefined) continue
        events.push({ event, data: JSON.parse(data ?? "") })
        if (event === "ready") ready.resolve()
      }
    }
    ready.reject(new Error("it ended before it was ready"))
  }
  const ended = gather(answer.body).catch(() => {})
  await ready.promise
  const of = <A>(name: string) => events.filter(({ event }) => event === name).map(({ data }) => data as A)
  return {
    events,
    ended,
    requests: () => of<ReadonlyArray<Row>>("request").flat(),
    changed: (what: string) =>
      of<{ readonly what: string; readonly ids: ReadonlyArray<string> }>("changed")
        .filter((one) => one.what === what)
        .flatMap(({ ids }) => ids),
    stop: () => leaving.abort()
  }
}
