// oxlint-disable-next-line typescript/no-explicit-any -- whatever came
type Event = any

/** A socket of `/v1/responses`, and its messages in the order in which they came. */
export const connect = async (url: string, key: string) => {
  const ws = new WebSocket(`${url.replace("http", "ws")}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` }
  } as unknown as string)
  const came: Array<Event> = []
  let wake = () => {}
  let isClosed = false
  const closed = new Promise<CloseEvent>((resolve) => {
    ws.addEventListener("close", (event) => {
      isClosed = true
      resolve(event)
      wake()
    })
  })
  ws.addEventListener("message", ({ data }) => {
    came.push(JSON.parse(String(data)))
    wake()
  })
  await new Promise((resolve, reject) => {
    ws.addEventListener("open", resolve)
    ws.addEventListener("error", reject)
  })
  const next = async (): Promise<Event> => {
    while (came.length === 0) {
      if (isClosed) return undefined
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    return came.shift()
  }
  /** Reads to the end of an answer. */
  const answer = async (): Promise<ReadonlyArray<Event>> => {
    const events: Array<Event> = []
    for (;;) {
      const event = await next()
      if (event === undefined) return events
      events.push(event)
      if (/^(error|response\.(completed|failed|incomplete))$/.test(event.type)) return events
    }
  }
  const send = (body: object) => ws.send(JSON.stringify({ type: "response.create", model: "sandbox-text", ...body }))
  const ask = async (body: object) => {
    send(body)
    return (await answer()).at(-1)
  }
  return { ws, send, ask, answer, next, closed }
}
